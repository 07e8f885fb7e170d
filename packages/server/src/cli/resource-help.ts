/**
 * Adds the application's roles, resources and actions to the help of commands that take their
 * names.
 */

import type { Shown } from '../command/define-command.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import { shownResources } from '../resource/made/shown-resources.ts'
import { consoleParts } from '../service/features.ts'
import type { CommandContext } from './console.ts'

type HelpEntry = readonly [name: string, about: string]

function printNames(heading: string, names: readonly HelpEntry[]): string {
  if (names.length === 0) return ''
  const width = Math.max(...names.map(([name]) => name.length))
  return `\n${heading}:\n${names.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`.trimEnd()).join('\n')}\n`
}

/** `orders pay`, with its description. */
async function actionsOf(resource: Resource): Promise<HelpEntry[]> {
  const { describeOperation, summarize } = await import('../resource/words/describe-operation.ts')
  return resource.actionNames.map((operation) => {
    const deed = { resource, operation, above: [], hasId: true }
    const told = [summarize(deed), describeOperation(deed)].filter((one) => one !== undefined)
    return [`${resource.slug} ${operation}`, told.map((one) => one.replace(/\.$/, '')).join('. ')]
  })
}

/** The commands whose help lists parts of the application, and which parts. */
const commands: ReadonlyMap<string, readonly Shown[]> = new Map<string, readonly Shown[]>([
  ['import', ['resources']],
  ['export', ['resources']],
  ['routes', ['roles', 'resources', 'actions']],
  ...consoleParts.flatMap(({ commands }) => commands.map(({ name, shows = [] }) => [name, shows] as const)),
])

function printRoles({ roles: { names, isOrdered, abilities, has } }: Catalog): string {
  if (names.length === 0) return ''
  if (isOrdered) return `\nRoles of this application, in rising order: ${names.join(' < ')}\n`
  const listed = names.map((one): HelpEntry => [one, abilities.filter((ability) => has(one, ability)).join(', ')])
  return printNames('Roles of this application, with their abilities', listed)
}

async function printShown(catalog: Catalog, shown: readonly Shown[]): Promise<string> {
  const { describeResource } = await import('../resource/words/describe-operation.ts')
  const resources = shownResources(catalog)
  const named = resources.map((resource): HelpEntry => [resource.slug, describeResource(catalog, resource)])
  const parts = {
    roles: () => printRoles(catalog),
    resources: () => printNames('Resources of this application', named),
    actions: async () => printNames('Their actions', (await Promise.all(resources.map(actionsOf))).flat()),
  }
  return (await Promise.all(shown.map((one) => parts[one]()))).join('')
}

/**
 * Text to add to the help of the command. Empty where there is no application, or one with
 * mistakes: help is always shown.
 */
export async function resourceHelp(
  cli: CommandContext,
  args: readonly string[],
): Promise<{ command: string; text: string } | undefined> {
  const [command = ''] = args.filter((one) => !one.startsWith('-'))
  const shown = commands.get(command)
  if (!shown?.length || !(args.includes('--help') || args.includes('-h'))) return undefined
  try {
    const { loadCatalog } = await import('./console.ts')
    return { command, text: await printShown(await loadCatalog(cli), shown) }
  } catch {
    return undefined
  }
}

/**
 * `bindery access` prints the permissions of each kind of caller, or the clauses that let one user
 * in or refuse. It also compares the rules with another state of the declarations.
 */
import type { Command } from 'commander'
import { findResource } from '../../command/find-resource.ts'
import { UsageError } from '../../command/usage-error.ts'
import { readConfig } from '../../config.ts'
import type { EdgeEngine } from '../../http/edge-engine.ts'
import { checkBody } from '../../operation/body.ts'
import type { Resource } from '../../resource/catalog.ts'
import { factsOf, isBodyKind } from '../../resource/operation-kind.ts'
import { anonymous, consolePrincipal, type Principal } from '../../resource/principal.ts'
import { findMeant } from '../../resource/words/nearest.ts'
import { type CommandContext, loadDocumented, withEngine } from '../console.ts'

type AccessOptions = { readonly diff?: string; readonly values?: string; readonly key?: true; readonly scopes?: string }
type AccessCall = { readonly user: string; readonly operation: string; readonly record: string } & AccessOptions

const anonymousWord = 'anonymous'

/** The caller that the arguments describe. Throws `UsageError`. */
async function callerOf({ identity }: EdgeEngine, { user, key, scopes }: AccessCall): Promise<Principal> {
  if (user === anonymousWord) return anonymous
  const principal = await identity.findCaller(user)
  if (!principal) throw new UsageError(`no user ${user} who may act; write an address, an id, or ${anonymousWord}`)
  if (!key && scopes === undefined) return principal
  return { ...principal, via: 'key', scopes: scopes === undefined ? null : scopes.split(',') }
}

/** `things/17` → the resource and the id; `things` → no id. Throws `UsageError`. */
function targetOf(
  { catalog }: EdgeEngine,
  { operation, record }: AccessCall,
): { resource: Resource; id: string | undefined } {
  const [word = '', ...rest] = record.split('/')
  const id = rest.length === 0 ? undefined : rest.join('/')
  const resource = findResource(catalog, word)
  const operations = Object.keys(resource.access)
  if (!operations.includes(operation))
    throw new UsageError(
      `${resource.slug} have no ${operation}${findMeant(operation, operations)}; there are ${operations.join(', ')}`,
    )
  const needsId = factsOf(operation).on === 'record'
  if (needsId && id === undefined) throw new UsageError(`name the record: ${resource.slug}/<id>`)
  if (!needsId && id !== undefined) throw new UsageError(`${operation} is about no record; name ${resource.slug} alone`)
  return { resource, id }
}

function bodyOf(
  values: string | undefined,
  { engine, resource, operation }: { engine: EdgeEngine; resource: Resource; operation: string },
) {
  if (values === undefined) return undefined
  if (!isBodyKind(operation)) throw new UsageError(`--values are the body of a create, replace or update`)
  try {
    const seen = engine.policy.visibleFields(consolePrincipal(engine.catalog), resource)
    return checkBody({ resource, kind: operation, ...seen, nests: true }, JSON.parse(values))
  } catch (error) {
    throw new UsageError(`--values: ${(error as Error).message}`)
  }
}

/** The operator sees every record and field, but no secret. */
async function explain(cli: CommandContext, call: AccessCall): Promise<void> {
  const { explainAccess } = await import('../../perform/explain/explain-body.ts')
  const { printExplained } = await import('./print-access.ts')
  await withEngine(cli, async (engine) => {
    const { operation } = call
    const { resource, id } = targetOf(engine, call)
    const body = bodyOf(call.values, { engine, resource, operation })
    const explained = await explainAccess(engine, {
      asker: consolePrincipal(engine.catalog),
      caller: await callerOf(engine, call),
      target: { resource, operation },
      id,
      under: undefined,
      sees: () => true,
      body: async () => body,
    })
    await (cli.output.json ? cli.output.value(explained) : cli.output.write(printExplained(explained)))
  })
}

async function compare(cli: CommandContext, place: string): Promise<void> {
  const { loadEarlier } = await import('./earlier-declarations.ts')
  const { makeCatalog } = await import('../../resource/catalog.ts')
  const { settleRoles } = await import('../../settings/role-settings.ts')
  const { compareAccess } = await import('../../policy/compare-access.ts')
  const { printChanges } = await import('./print-access.ts')
  const after = await loadDocumented(cli)
  const catalog = makeCatalog(await loadEarlier(place))
  const before = { catalog, settings: settleRoles(readConfig(), catalog.roles) }
  const changes = compareAccess(before, after)
  await (cli.output.json ? cli.output.value(changes) : cli.output.write(printChanges(changes)))
}

/** The permissions of each kind of caller. */
async function list(cli: CommandContext): Promise<void> {
  const { callerKinds } = await import('../../policy/caller-kinds.ts')
  const { makePolicy } = await import('../../policy/policy.ts')
  const { permissionsOf } = await import('../../policy/permissions.ts')
  const { makeTable } = await import('../../command/table.ts')
  const { catalog, settings } = await loadDocumented(cli)
  const policy = makePolicy(catalog, settings)
  const kinds = callerKinds([{ catalog, settings }])
  const told = kinds.map(({ name, principal }) => ({
    name,
    permissions: permissionsOf({ catalog, policy }, principal),
  }))
  const rows = (told[0]?.permissions ?? []).flatMap(({ resource, operations }, at) =>
    Object.keys(operations).map((operation) => ({
      resource: resource.slug,
      operation,
      ...Object.fromEntries(told.map(({ name, permissions }) => [name, permissions[at]?.operations[operation]])),
    })),
  )
  if (cli.output.json) return cli.output.value(rows)
  const columns = ['resource', 'operation', ...kinds.map(({ name }) => name)]
  await cli.output.write(makeTable(columns).print(rows))
}

async function run(cli: CommandContext, args: readonly (string | undefined)[], options: AccessOptions): Promise<void> {
  const [user, operation, record] = args
  if (options.diff !== undefined) {
    if (user !== undefined) throw new UsageError('--diff compares all callers; leave the user out')
    return compare(cli, options.diff)
  }
  if (user === undefined) return list(cli)
  if (operation === undefined || record === undefined)
    throw new UsageError('name an operation and a record too; see bindery access --help')
  return explain(cli, { user, operation, record, ...options })
}

export function addAccess(program: Command, cli: CommandContext): void {
  program
    .command('access')
    .description('what each kind of caller may do; why a user may not; who may do more than before')
    .argument('[user]', `a user, by address or id, or ${anonymousWord}`)
    .argument('[operation]', 'list, get, create, replace, update, delete, or an action')
    .argument('[record]', 'resource/id, or the resource alone for list and create')
    .option('--values <json>', 'the body of a create, replace or update, for the rule on its result')
    .option('--key', 'as a key of the user')
    .option('--scopes <list>', 'as a key with these scopes: products:read,orders:*')
    .option('--diff <folder>', 'compare with the declarations in this folder, such as a worktree of an earlier commit')
    .addHelpText(
      'after',
      `\nIt performs nothing. An arrow marks the clauses that decided.\n\nExamples:\n  $ bindery access\n  $ bindery access ann@example.com update orders/0190f6a0-0000-7000-8000-000000000000\n  $ bindery access ${anonymousWord} list orders\n  $ git worktree add ../before main && bindery access --diff ../before`,
    )
    .action((...sent: readonly unknown[]) =>
      run(cli, sent.slice(0, 3) as (string | undefined)[], sent[3] as AccessOptions),
    )
}

/** Finds mistakes in `defineConsole`: colours, files, its rule, and the names of modules. */
import type { DeclaredResource } from '../define.ts'
import { checkRule } from '../rule.ts'
import { findUsers } from '../rules/roles.ts'
import type { DeclaredTenancy } from '../tenancy/define-tenancy.ts'
import { findMeant } from '../words/nearest.ts'
import { contrastMin, leastContrast } from './color.ts'
import { type DeclaredConsole, moduleOf } from './define-console.ts'
import { checkLogo, findOwnFile } from './own-files.ts'

export type ConsoleCheck = {
  readonly byName: ReadonlyMap<string, DeclaredResource>
  readonly tenancies: readonly DeclaredTenancy[]
  report(problem: string): void
}

function checkAccent({ consoleDeclaration: { accent } }: DeclaredConsole, { report }: ConsoleCheck): void {
  if (accent === undefined) return
  const colors = typeof accent === 'string' ? { light: accent } : accent
  for (const theme of ['light', 'dark'] as const) {
    const color = colors[theme as keyof typeof colors]
    const contrast = color === undefined ? contrastMin : leastContrast(color, theme)
    if (contrast < contrastMin)
      report(
        `accent: ${color} has a contrast of ${contrast.toFixed(1)} with the ${theme} backgrounds, and needs ${contrastMin}: take a ${theme === 'light' ? 'darker' : 'lighter'} one`,
      )
  }
}

function checkModuleName(name: string, { byName, report }: ConsoleCheck): void {
  const [, kind, of, what] = /^(\w+)\/(\w+)\.(\w+)$/.exec(name) ?? []
  if (of === undefined || what === undefined) return
  const resource = byName.get(of)
  if (!resource) {
    report(`modules.${name}: no resource "${of}"${findMeant(of, byName.keys())}`)
    return
  }
  const names = kind === 'actions' ? [] : Object.keys(resource.fields)
  if (kind !== 'actions' && !names.includes(what))
    report(`modules.${name}: "${of}" has no field "${what}"${findMeant(what, names)}`)
}

function checkFiles(declared: DeclaredConsole, { report }: ConsoleCheck): void {
  const { folder, consoleDeclaration } = declared
  const { logo, modules = {} } = consoleDeclaration
  if (logo !== undefined) {
    const found = findOwnFile(folder, logo)
    const image = 'problem' in found ? found : checkLogo(found.file)
    if ('problem' in image) report(`logo: ${'problem' in found ? '' : `"${logo}" `}${image.problem}`)
  }
  for (const [name, one] of Object.entries(modules)) {
    const { file } = moduleOf(one)
    const found = findOwnFile(folder, file)
    if ('problem' in found) report(`modules.${name}: ${found.problem}`)
    else if (!/\.m?js$/.test(file)) report(`modules.${name}: "${file}" must be a .js file, which browsers can run`)
  }
}

/** A membership of any tenant counts, so `member` is judged on the tenants. */
function checkConsoleRule({ consoleDeclaration: { access } }: DeclaredConsole, check: ConsoleCheck): void {
  if (access === undefined) return
  const { byName, tenancies, report } = check
  const tenants = tenancies.flatMap(({ tenancyOf }) => byName.get(tenancyOf) ?? [])
  const users = findUsers(byName.values())
  for (const declared of tenants.length > 0 ? tenants : users ? [users] : [])
    checkRule(access, {
      declared,
      byName,
      tenancies,
      about: 'caller',
      takesMembers: tenants.length > 0,
      report: (problem) => report(`access: ${problem}`),
    })
}

export function checkConsole(declared: DeclaredConsole, check: ConsoleCheck): void {
  checkAccent(declared, check)
  checkFiles(declared, check)
  checkConsoleRule(declared, check)
  for (const name of Object.keys(declared.consoleDeclaration.modules ?? {})) checkModuleName(name, check)
}

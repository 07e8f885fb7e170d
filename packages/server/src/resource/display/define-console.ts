/**
 * `defineConsole`: the name, the logo and the colour of an application's console, its callers, and
 * modules of its own. It is listed among the resources of an application.
 */
import { dirname, resolve } from 'node:path'
import { declaringPlace } from '../../base/declaring-place.ts'
import {
  checkMembers,
  isTable,
  type MemberKind,
  type MemberProblem,
  type Members,
  objectOf,
  printValue,
  textKind,
} from '../members.ts'
import { type Rule, ruleKind } from '../rule.ts'
import { colorPattern } from './color.ts'
import { type Texts, textsKind, type Widget, widgets } from './declared-display.ts'

/** `pages/stock`, `cells/product.price`, `actions/order.print`, `widgets/product.price`. */
export type ModuleName =
  | `pages/${string}`
  | `${'cells' | 'actions' | 'widgets'}/${string}.${string}`
  | `widgets/${Widget}`
/** The path of a module from the file that declares it, or the path with a label. */
export type DeclaredModule = string | { readonly file: string; readonly label?: Texts }
/** A colour for each theme, as `#rrggbb`. */
export type Accent = { readonly light: string; readonly dark: string }

export type ConsoleDeclaration = {
  /** In the bar and in the title of the page; `Bindery` by default. */
  readonly name?: string
  /** The path of an image from the file that declares it: PNG, JPEG, WebP, GIF or SVG. */
  readonly logo?: string
  /**
   * The colour of links and main buttons, as `#rrggbb`. One colour is for the light theme, and is
   * lightened for the dark one. Its contrast with each background is at least 4.5.
   */
  readonly accent?: string | Accent
  /**
   * The callers who may use the console: a rule about the caller, or `member('OWNER')`, which lets
   * in the owners of any tenant. By default any user. It hides the pages and no record: the rules
   * of the resources decide about those.
   */
  readonly access?: Rule<never, never>
  /**
   * Name → an ES module of the application: `{ 'pages/stock-report': './console/stock-report.js'
   * }`. It exports `mount(element, context)`. Everyone may read the file, so it holds no secret.
   */
  readonly modules?: Readonly<Record<string, DeclaredModule>>
}

const namePattern = /^(pages\/[a-z0-9]+(-[a-z0-9]+)*|(cells|actions|widgets)\/\w+\.\w+)$/

export function isModuleName(name: string): boolean {
  return namePattern.test(name) || widgets.some((one) => name === `widgets/${one}`)
}

const moduleObject = objectOf({ file: textKind, label: textsKind }, { needed: ['file'] })
const modulesKind: MemberKind = (value, path, report) => {
  if (!isTable(value)) return report({ path, problem: `must be an object, and is ${printValue(value)}` })
  for (const [name, one] of Object.entries(value)) {
    if (!isModuleName(name))
      report({
        path,
        problem: `"${name}" is no name such as pages/stock-report, cells/product.price, actions/order.print, widgets/product.color or widgets/color`,
      })
    ;(typeof one === 'string' ? textKind : moduleObject)(one, `${path}.${name}`, report)
  }
}

const color: MemberKind = (value, path, report) => {
  if (typeof value !== 'string' || !colorPattern.test(value))
    report({ path, problem: `must be a colour such as #0b5cc4, and is ${printValue(value)}` })
}
const accents = objectOf({ light: color, dark: color } satisfies Members<Accent>, { needed: ['light', 'dark'] })
const members = {
  name: textKind,
  logo: textKind,
  accent: (value, path, report) => (isTable(value) ? accents : color)(value, path, report),
  access: ruleKind,
  modules: modulesKind,
} satisfies Members<ConsoleDeclaration>

/** A console as an application lists it. `M`: the names of its modules. */
export type DeclaredConsole<M extends string = string> = {
  readonly consoleDeclaration: ConsoleDeclaration
  /** The folder of the file that declares it: paths start there. */
  readonly folder: string
  readonly writtenIn: string
  readonly writtenAt: string
  /** Only for the compiler. */
  readonly _modules?: M
}

/** Whether an element of the list was made by `defineConsole`. */
export function isConsole(value: unknown): value is DeclaredConsole {
  return isTable(value) && Object.hasOwn(value, 'consoleDeclaration') && typeof value.writtenIn === 'string'
}

/** The mistakes in the form of a console. */
export function findConsoleFormMistakes({ consoleDeclaration }: DeclaredConsole): MemberProblem[] {
  const mistakes: MemberProblem[] = []
  checkMembers(consoleDeclaration, members, { path: '', report: (mistake) => mistakes.push(mistake) })
  return mistakes
}

/** The file and the label of a module. */
export function moduleOf(declared: DeclaredModule): { readonly file: string; readonly label?: Texts } {
  return typeof declared === 'string' ? { file: declared } : declared
}

/**
 * Declares the console of an application: `defineConsole({ name: 'Lamp shop', logo: './logo.png',
 * accent: '#8a3b12', access: role('EDITOR') })`. An application has one at most, and needs none.
 */
export function defineConsole<const M extends ModuleName = never>(
  declaration: Omit<ConsoleDeclaration, 'modules'> & { readonly modules?: { readonly [N in M]: DeclaredModule } },
): DeclaredConsole<M> {
  const place = declaringPlace()
  return { consoleDeclaration: declaration, folder: dirname(resolve(place.writtenIn)), ...place }
}

/**
 * The page of the console: an empty frame that loads the built files. It holds no data of the
 * caller; the program in it sends the requests that any client may send.
 */
import type { LogInWays } from '../client/console-description.ts'
import { ApiError } from '../errors.ts'
import type { HttpResponse } from '../http/messages/exchange.ts'
import { answerPage, escapeHtml, policyOf } from '../http/pages/html-page.ts'
import { makePageFiles, type PageFiles } from '../http/pages/page-files.ts'
import type { DeclaredConsole } from '../resource/display/define-console.ts'
import { type BuiltConsole, builtFiles, readBuild } from './built-files.ts'
import { type ConsoleFacts, type ConsoleLook, makeConsoleFacts } from './console-facts.ts'

const policy = policyOf({
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'img-src': "'self' data:",
})

/** `usePress` of React Aria adds a style element, unless there is an element with this id. */
const pressable = '<meta id="react-aria-pressable-style">'

/** The look before the log-in: no request is needed for it. `root` is that of the page. */
function lookOf({ name, logo, accent }: ConsoleLook, root: string): readonly string[] {
  const said = { name, ...(logo && { logo: `${root}/own/${logo.slice(logo.lastIndexOf('/') + 1)}` }), accent }
  return [`<meta name="bindery-console-look" content="${escapeHtml(JSON.stringify(said))}">`]
}

/** `root`: the console from the page's address, so that a proxy may serve it below a prefix. */
type Head = {
  readonly built: BuiltConsole
  readonly root: string
  readonly look: ConsoleLook | undefined
} & Pick<ConsolePageDeps, 'logIn' | 'isDeveloped'>

function headOf({ built: { entry, style, preload }, root, look, logIn, isDeveloped }: Head): string {
  const at = (name: string) => `${root}/assets/${name}`
  return [
    pressable,
    `<meta name="bindery-console" content="${root}">`,
    `<meta name="bindery-console-log-in" content="${escapeHtml(JSON.stringify(logIn))}">`,
    ...(look ? lookOf(look, root) : []),
    ...(isDeveloped ? ['<meta name="bindery-console-developed">'] : []),
    `<link rel="stylesheet" href="${at(style)}">`,
    ...preload.map((name) => `<link rel="modulepreload" href="${at(name)}">`),
    `<script type="module" src="${at(entry)}"></script>`,
  ].join('\n')
}

export type ConsolePage = {
  /** Undefined where the application has no `defineConsole`. */
  readonly facts: ConsoleFacts | undefined
  answer(depth: number): HttpResponse
  readonly files: Pick<PageFiles, 'answer'>
}

/** `depth`: how many segments the address of the page has below the console. */
function rootFrom(path: string, depth: number): string {
  if (depth === 0) return path.slice(path.lastIndexOf('/') + 1)
  return depth === 1
    ? '.'
    : Array(depth - 1)
        .fill('..')
        .join('/')
}

export type ConsolePageDeps = {
  /** Of the console on this server: `/console`. */
  readonly path: string
  readonly declared: DeclaredConsole | undefined
  readonly logIn: LogInWays
  /** Each change of a source starts the server anew, and pages that are open follow. */
  readonly isDeveloped: boolean
}

export function makeConsolePage({ path, declared, logIn, isDeveloped }: ConsolePageDeps): ConsolePage {
  const facts = declared && makeConsoleFacts(declared, path)
  let build: BuiltConsole | undefined
  let served: PageFiles | undefined

  /** Throws `unavailable` in a checkout without a build. */
  function built(): BuiltConsole {
    build ??= readBuild()
    if (build) return build
    throw new ApiError('unavailable', 'The console is not built: run npm run console, and load the page again')
  }

  return {
    facts,
    answer: (depth) =>
      answerPage({
        title: declared?.consoleDeclaration.name ?? 'Console',
        files: [],
        head: headOf({ built: built(), root: rootFrom(path, depth), look: facts?.look, logIn, isDeveloped }),
        body: '<div id="root"></div><noscript>The console needs JavaScript.</noscript>',
        policy,
      }),
    files: {
      answer(name) {
        served ??= makePageFiles(`${path}/assets`, builtFiles(built()))
        return served.answer(name)
      },
    },
  }
}

/**
 * The page of the console: an empty frame that loads the built files. It holds no data of the
 * caller; the program in it sends the requests that any client may send.
 */
import { ApiError } from '../errors.ts'
import type { HttpResponse } from '../http/messages/exchange.ts'
import { answerPage, policyOf } from '../http/pages/html-page.ts'
import { makePageFiles, type PageFiles } from '../http/pages/page-files.ts'
import { type BuiltConsole, builtFiles, readBuild } from './built-files.ts'

const policy = policyOf({
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'img-src': "'self' data:",
})

/** `usePress` of React Aria adds a style element, unless there is an element with this id. */
const pressable = '<meta id="react-aria-pressable-style">'

/** `root`: the console from the page's address, so that a proxy may serve it below a prefix. */
function headOf({ entry, style, preload }: BuiltConsole, root: string): string {
  const at = (name: string) => `${root}/assets/${name}`
  return [
    pressable,
    `<meta name="bindery-console" content="${root}">`,
    `<link rel="stylesheet" href="${at(style)}">`,
    ...preload.map((name) => `<link rel="modulepreload" href="${at(name)}">`),
    `<script type="module" src="${at(entry)}"></script>`,
  ].join('\n')
}

export type ConsolePage = { answer(depth: number): HttpResponse; readonly files: Pick<PageFiles, 'answer'> }

/** `depth`: how many segments the address of the page has below the console. */
function rootFrom(path: string, depth: number): string {
  if (depth === 0) return path.slice(path.lastIndexOf('/') + 1)
  return depth === 1
    ? '.'
    : Array(depth - 1)
        .fill('..')
        .join('/')
}

/** `path`: of the console on this server, `/console`. */
export function makeConsolePage(path: string): ConsolePage {
  let build: BuiltConsole | undefined
  let served: PageFiles | undefined

  /** Throws `unavailable` in a checkout without a build. */
  function built(): BuiltConsole {
    build ??= readBuild()
    if (build) return build
    throw new ApiError('unavailable', 'The console is not built: run npm run console, and load the page again')
  }

  return {
    answer: (depth) =>
      answerPage({
        title: 'Console',
        files: [],
        head: headOf(built(), rootFrom(path, depth)),
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

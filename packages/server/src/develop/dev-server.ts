/**
 * `bindery dev`: serves an application during development. It checks types in parallel, and
 * restarts the application when a source changes.
 */
import { dirname, relative, sep } from 'node:path'
import {
  type ApplicationProcess,
  type PreparedProcess,
  type ProcessEnd,
  prepareApplication,
} from './application-process.ts'
import { type BuildProblem, printBuildProblem } from './build-problem.ts'
import { locateProblem } from './locate.ts'
import { checkTypes } from './type-check.ts'
import { watchFolder } from './watch-folder.ts'

export type DevServerOptions = {
  readonly folder: string
  /** Folders without sources: the data folder. */
  readonly ignored: readonly string[]
  /** The command that serves once it gets a message: `['bindery.js', 'start', …]`. */
  readonly command: readonly string[]
  /** Prints a line. */
  say(line: string): void
  /**
   * Called when the start refused to lose data. It asks the user, and migrates on consent. Returns
   * whether the application may start again.
   */
  settleLosses(ended: ProcessEnd): Promise<boolean>
  /** The mistakes of types that are to be shown, when `said` has been already. */
  clearTypes(found: readonly BuildProblem[], said: readonly BuildProblem[]): readonly BuildProblem[]
}

export type DevServer = { stop(): Promise<void> }

const paths = [
  ['', 'what there is'],
  ['/docs', 'the API reference'],
  ['/graphql', 'GraphiQL'],
  ['/openapi.json', 'the OpenAPI document'],
] as const

/**
 * The code that a process loads before the application: when it changes, a new process is needed.
 */
const engineFolder = dirname(import.meta.dirname)
/** A text for readers: a server that is developed reads it at each use. */
const isText = (file: string) => /\.(?:txt|html)$/.test(file)
const isModule = (file: string) => /\.[mc]?[jt]s$/.test(file) && !file.startsWith(engineFolder + sep)

function counted(mistakes: readonly BuildProblem[]): string {
  return mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`
}

type Saying = Pick<DevServerOptions, 'folder' | 'say'>

/**
 * Why it did not start: each mistake with its place, and what is none as it came. Returns the
 * mistakes.
 */
function explain({ errors }: ProcessEnd, { folder, say }: Saying): readonly BuildProblem[] {
  const lines = errors.trim().split('\n')
  const located = lines.map((line) => ({ line, mistake: locateProblem(folder, line) }))
  for (const { line, mistake } of located) say(mistake.line === undefined ? line : printBuildProblem(folder, mistake))
  return located.map(({ mistake }) => mistake).filter(({ line }) => line !== undefined)
}

/** Checks types one after another: each check ends the one before it. */
function makeTypeChecks({ folder, say, clearTypes }: Saying & Pick<DevServerOptions, 'clearTypes'>) {
  let checking = new AbortController()
  return {
    abort: () => checking.abort(),
    async check(said: readonly BuildProblem[]): Promise<void> {
      checking = new AbortController()
      try {
        const { mistakes, why } = await checkTypes(folder, checking.signal)
        if (why) return say(`Types are not checked: ${why}.`)
        const shown = clearTypes(mistakes ?? [], said)
        for (const mistake of shown) say(printBuildProblem(folder, mistake))
        const none = mistakes?.length ? 'Types: no other mistakes.' : 'Types: no mistakes.'
        say(shown.length > 0 ? `Types: ${counted(shown)}.` : none)
      } catch (error) {
        if ((error as Error).name !== 'AbortError') throw error
      }
    },
  }
}

export function startDevServer({
  folder,
  ignored,
  command,
  say,
  settleLosses,
  clearTypes,
}: DevServerOptions): DevServer {
  let served: ApplicationProcess | undefined
  let prepared: PreparedProcess | undefined
  const types = makeTypeChecks({ folder, say, clearTypes })
  /** Changes may come faster than restarts: only the latest is served. */
  let wanted = 0
  let isServed = false

  const sayNotServed = () => {
    isServed = false
    say('It is not served. Change a file, and it is tried again.')
  }

  function takePrepared(): PreparedProcess {
    const taken = prepared ?? prepareApplication(command, folder)
    prepared = undefined
    return taken
  }

  /** Returns the mistakes for which it is not served. */
  async function serve(turn: number): Promise<readonly BuildProblem[]> {
    await served?.stop()
    if (turn !== wanted) return []
    const startedMs = performance.now()
    const own = takePrepared().serve()
    served = own
    const outcome = await own.started
    if (turn !== wanted) return []
    prepared = prepareApplication(command, folder)
    if (typeof outcome !== 'string') {
      const mistakes = explain(outcome, { folder, say })
      if (await settleLosses(outcome)) return serve(turn)
      sayNotServed()
      return mistakes
    }
    isServed = true
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    say(`Served after ${seconds} s:\n${paths.map(([path, what]) => `  ${outcome}${path}  ${what}`).join('\n')}`)
    void own.ended.then(() => {
      if (served === own && turn === wanted) sayNotServed()
    })
    return []
  }

  /** Types are checked once it serves: in parallel, both would be slower. */
  async function begin(): Promise<void> {
    types.abort() // it may have begun while the file was being written
    wanted += 1
    const turn = wanted
    const mistakes = await serve(turn)
    if (turn === wanted) await types.check(mistakes)
  }
  function dropPrepared(): void {
    prepared?.drop()
    prepared = undefined
  }
  const watching = watchFolder(folder, ignored, {
    touched: () => types.abort(),
    changed(files) {
      for (const file of files) say(`${relative(folder, file)} has changed.`)
      if (isServed && [...files].every(isText)) return
      if (![...files].every(isModule)) dropPrepared()
      void begin()
    },
  })
  void begin()
  return {
    async stop() {
      watching.stop()
      types.abort()
      wanted += 1
      dropPrepared()
      await served?.stop()
    },
  }
}

/**
 * `bindery dev`: serves an application while it is written. Types are checked beside it, and a
 * change of a source serves it anew.
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
  /** Folders whose files are no sources: where the data is. */
  readonly ignored: readonly string[]
  /** The command that serves once it gets a message: `['bindery.js', 'start', …]`. */
  readonly command: readonly string[]
  /** A line for people. */
  say(line: string): void
  /**
   * What the start refused because it would lose data: asks whether that may be, does it, and
   * returns whether the application may be served again.
   */
  settleLosses(ended: ProcessEnd): Promise<boolean>
}

export type DevServer = { stop(): Promise<void> }

const paths = [
  ['', 'what there is'],
  ['/docs', 'the API reference'],
  ['/graphql', 'GraphiQL'],
  ['/openapi.json', 'the OpenAPI document'],
] as const

/**
 * What is in memory of a process before it loads the application: when this changes, another
 * process has to be made.
 */
const engineFolder = dirname(import.meta.dirname)
const isModule = (file: string) => /\.[mc]?[jt]s$/.test(file) && !file.startsWith(engineFolder + sep)

function counted(mistakes: readonly BuildProblem[]): string {
  return mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`
}

export function startDevServer({ folder, ignored, command, say, settleLosses }: DevServerOptions): DevServer {
  let served: ApplicationProcess | undefined
  let prepared: PreparedProcess | undefined
  let checking = new AbortController()
  /** Changes come faster than restarts: only the latest is served. */
  let wanted = 0

  async function checkBeside(): Promise<void> {
    checking = new AbortController()
    try {
      const { mistakes, why } = await checkTypes(folder, checking.signal)
      if (why) return say(`Types are not checked: ${why}.`)
      for (const mistake of mistakes ?? []) say(printBuildProblem(folder, mistake))
      say(mistakes?.length ? `Types: ${counted(mistakes)}.` : 'Types: no mistakes.')
    } catch (error) {
      if ((error as Error).name !== 'AbortError') throw error
    }
  }

  function explain({ errors }: ProcessEnd): void {
    for (const line of errors.split('\n')) {
      const mistake = locateProblem(folder, line)
      if (mistake.line !== undefined) say(printBuildProblem(folder, mistake))
    }
    say('It is not served. Change a file, and it is tried again.')
  }

  function takePrepared(): PreparedProcess {
    const taken = prepared ?? prepareApplication(command, folder)
    prepared = undefined
    return taken
  }

  async function serve(turn: number): Promise<void> {
    await served?.stop()
    if (turn !== wanted) return
    const startedMs = performance.now()
    const own = takePrepared().serve()
    served = own
    const outcome = await own.started
    if (turn !== wanted) return
    prepared = prepareApplication(command, folder)
    if (typeof outcome !== 'string') {
      if (await settleLosses(outcome)) return serve(turn)
      return explain(outcome)
    }
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    say(`Served after ${seconds} s:\n${paths.map(([path, what]) => `  ${outcome}${path}  ${what}`).join('\n')}`)
    void own.ended.then((ended) => {
      if (served === own && turn === wanted) explain(ended)
    })
  }

  /** Types are checked when it is served: both at once would take each other's time. */
  async function begin(): Promise<void> {
    checking.abort() // it may have begun while the file was being written
    wanted += 1
    const turn = wanted
    await serve(turn)
    if (turn === wanted) await checkBeside()
  }
  function dropPrepared(): void {
    prepared?.drop()
    prepared = undefined
  }
  const watching = watchFolder(folder, ignored, {
    touched: () => checking.abort(),
    changed(files) {
      for (const file of files) say(`${relative(folder, file)} has changed.`)
      if (![...files].every(isModule)) dropPrepared()
      void begin()
    },
  })
  void begin()
  return {
    async stop() {
      watching.stop()
      checking.abort()
      wanted += 1
      dropPrepared()
      await served?.stop()
    },
  }
}

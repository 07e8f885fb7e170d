/**
 * Groups test files that share a process: loading the engine takes half a second, most of the time
 * of a short file. They run one after another. Each is a suite with its own hooks and services.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Files with a process to themselves. They measure memory, fill disks, count their process's
 * hashes, pack the packages, break the database for all or kill processes repeatedly. Others take
 * long enough to delay a group.
 */
const alone =
  /\.timed\.|create-bindery\/test\/(?:clone|packed)|shop\/test\/(?:demo|docs\/co)|\/accounts\/(?:equal-work|password)\.test|\/spec\/(?:login|own-credentials)\.test|\/attack\/(?:findings|sign-ups)|\/develop\/(?:check|dev)\.test|\/http\/(?:budgets|drain|forms-memory|overload|start)\.test|\/scale\/(?:faults|keyed|killed|moving|restarts)|\/service\/(?:costly|corruption|first-start|full-disk|read-only)|\/storage\/(?:commit-faults|costly|read-threads)|\/backup\/log-copies|\/cli\/(?:copy|import)\.test/

/**
 * So few that no core sits idle while one group still runs, and so many that loading is little of
 * it.
 */
const filesOfGroup = { most: 40, least: 5 }

/** The arguments of Node for each process of tests. */
export const preloads: readonly string[] = ['./runner-hook.ts', './hold-answers.ts', './note-work.ts'].flatMap(
  (file) => ['--import', import.meta.resolve(file)],
)

export type Runs = {
  /** The arguments for Node: files, and groups of files. */
  readonly paths: readonly string[]
  /** The files of a path; a file has itself. */
  filesOf(path: string): readonly string[]
}

/**
 * Each suite is loaded when the one before has ended: files start services and processes as they
 * are loaded.
 */
function textOf(files: readonly string[]): string {
  const suites = files.map((file) => {
    const url = JSON.stringify(pathToFileURL(resolve(file)).href)
    return `await suite(${JSON.stringify(file)}, () => import(${url}))\n`
  })
  const imported = `import { endSuites, suite } from ${JSON.stringify(import.meta.resolve('./suite.ts'))}\n`
  return `${imported}${suites.join('')}endSuites()\n`
}

/** `folder`: where the files of the groups are written. Keeps the order of the files. */
export function groupFiles(files: readonly string[], folder: string): Runs {
  const shared = files.filter((file) => !alone.test(file))
  const few = Math.min(Math.ceil(shared.length / filesOfGroup.least), 2 * availableParallelism())
  const count = Math.max(few, Math.ceil(shared.length / filesOfGroup.most))
  const groups = new Map<string, readonly string[]>()
  for (let i = 0; i < count; i += 1) {
    const path = join(folder, `group-${i + 1}.test.ts`)
    const own = shared.filter((_, at) => at % count === i)
    writeFileSync(path, textOf(own))
    groups.set(path, own)
  }
  const apart = files.filter((file) => alone.test(file))
  return { paths: [...groups.keys(), ...apart], filesOf: (path) => groups.get(path) ?? [path] }
}

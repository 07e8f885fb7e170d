/**
 * Test files that share a process. Loading the engine takes a second, which is most of what a short file takes; so files that only ask a service
 * of their own run one after another in one process. Each is a suite: its hooks and its services are its own.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Those of these rooms start processes, clusters or commands of their own for most that they do.
 */
const roomsAlone =
  /(?:create-bindery\/test|shop\/test\/(?:docs|policy)|server\/test\/(?:backup|develop|observe|pages|scale|schema))\/|shop\/test\/[^/]+$|server\/test\/[^/]+$/

/**
 * And what measures time, fills memory or disks, opens many connections, drives a browser, starts
 * many processes, looks at what its own has open, counts the hashes that its process makes, or
 * takes long.
 */
const alone =
  /\.(?:browser|timed)\.|\/accounts\/(?:equal-work|password)\.test|\/spec\/(?:login|own-credentials)\.test|\/attack\/(?:findings|sign-ups|slow-clients|tiny-chunks|unread-answers)|\/cli\/(?:copy|doctor|moving|import)|\/http\/(?:budgets|connection|drain|forms-memory|overload|start)|\/service\/(?:costly|damage|deploy|failed-start|first-start|full-disk|hardening|in-its-place|read-only|who-may)|\/storage\/(?:costly|opening|planned|postgres|read-threads|sqlite|wal)/

const isShared = (file: string) => !roomsAlone.test(file) && !alone.test(file)

/** Small enough that no core sits idle while one group still runs. */
const filesOfGroup = 15

export type Runs = {
  /** What Node runs: files, and groups of files. */
  readonly paths: readonly string[]
  /** The files of a path; a file has itself. */
  filesOf(path: string): readonly string[]
}

/** `folder`: where the files of the groups are written. Keeps the order of the files. */
export function groupFiles(files: readonly string[], folder: string): Runs {
  const alone = files.filter((file) => !isShared(file))
  const shared = files.filter(isShared)
  const count = Math.ceil(shared.length / filesOfGroup)
  const groups = new Map<string, string[]>()
  for (let i = 0; i < count; i += 1) {
    const own = shared.filter((_, at) => at % count === i)
    const path = join(folder, `group-${i + 1}.test.ts`)
    const suites = own.map((file) => {
      const url = JSON.stringify(pathToFileURL(resolve(file)).href)
      return `suite(${JSON.stringify(file)}, () => import(${url}))\n`
    })
    writeFileSync(
      path,
      `import { suite } from ${JSON.stringify(import.meta.resolve('./suite.ts'))}\n${suites.join('')}`,
    )
    groups.set(path, own)
  }
  return { paths: [...groups.keys(), ...alone], filesOf: (path) => groups.get(path) ?? [path] }
}

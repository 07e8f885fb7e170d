/**
 * Test files that share a process. Loading the engine takes a second, which is most of what a short file takes; so files that only ask a service
 * of their own run one after another in one process. Each is a suite: its hooks and its services are its own.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * What measures time, fills memory, opens many connections, or starts processes stays alone: these folders do none of it.
 */
const sharing =
  /(?:^|\/)(?:shop\/test\/(?:spec|graphql)|server\/test\/(?:graphql|kept|mistakes|openapi|operation|perform|policy|record|relations|resource|rest|value))\//

/** Small enough that no core sits idle at the end while one group still runs. */
const filesOfGroup = 6

export type Runs = {
  /** What Node runs: files, and groups of files. */
  readonly paths: readonly string[]
  /** The files of a path; a file has itself. */
  filesOf(path: string): readonly string[]
}

/** `folder`: where the files of the groups are written. Keeps the order of the files. */
export function groupFiles(files: readonly string[], folder: string): Runs {
  const alone = files.filter((file) => !sharing.test(file))
  const shared = files.filter((file) => sharing.test(file))
  const count = Math.ceil(shared.length / filesOfGroup)
  const groups = new Map<string, string[]>()
  for (let i = 0; i < count; i += 1) {
    const own = shared.filter((_, at) => at % count === i)
    const path = join(folder, `group-${i + 1}.test.ts`)
    const suites = own.map((file) => {
      const url = JSON.stringify(pathToFileURL(resolve(file)).href)
      return `describe(${JSON.stringify(file)}, async () => void (await import(${url})))\n`
    })
    writeFileSync(path, `import { describe } from 'node:test'\n${suites.join('')}`)
    groups.set(path, own)
  }
  return { paths: [...alone, ...groups.keys()], filesOf: (path) => groups.get(path) ?? [path] }
}

/**
 * The work of `bindery files move`. The sweep removes no bytes meanwhile. When a last look finds
 * nothing to copy, no file needs the old store.
 */
import { printBytes } from '../../base/print-bytes.ts'
import { Interrupted, UsageError } from '../../command/usage-error.ts'
import { type Config, ownEnvironment, readConfig } from '../../config.ts'
import { StartError } from '../../errors.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { parseStore, placeOf, type StoreSetting } from '../../settings/store-settings.ts'
import { whileFilesHeld } from '../../storage/held-files.ts'
import { readStorage } from '../../storage/open.ts'
import { ownBucketFetch } from '../../stores/bucket-fetch.ts'
import { type FileMove, type MovedFiles, type MovingFile, moveFiles } from '../../stores/move-files.ts'
import { openObjectStore } from '../../stores/object-store.ts'
import { type CommandContext, loadCatalog } from '../console.ts'
import { formatSeconds, type Progress, startProgress } from '../terminal/progress.ts'

const shownMax = 20

const isSame = (a: StoreSetting, b: StoreSetting | undefined) => JSON.stringify(a) === JSON.stringify(b)

/** Throws `UsageError` unless the servers can have both stores already. */
function checkStores({ store, fallback }: Config['files'], to: string | undefined): StoreSetting {
  const wanted = to === undefined ? store : parseStore('--to', to, ownEnvironment())
  const restart = (place: string, from: string) =>
    `start the servers with FILES_STORE=${place} and FILES_STORE_FALLBACK=${from}, and run this with the same`
  if (!wanted || !isSame(wanted, store))
    throw new UsageError(`files go to FILES_STORE, which is ${placeOf(store)}: ${restart(String(to), placeOf(store))}`)
  if (!fallback) throw new UsageError(`FILES_STORE_FALLBACK is not set: ${restart('<new>', '<old>')}`)
  return fallback
}

/** All files whose bytes, or parts of them, may be in a store. */
async function filesOf({ database }: Config, catalog: Catalog): Promise<MovingFile[]> {
  const { fileRowsOf } = await import('../../storage/copy/kept-files.ts')
  const rows = await readStorage(database, catalog, (source) => Array.fromAsync(fileRowsOf(source, catalog)))
  return rows
    .filter(({ isKept, state }) => isKept || state === 'arriving')
    .map(({ id, size, sha256, isKept }) => ({ id, size, sha256, isWhole: isKept }))
}

type Rounds = { readonly copied: number; readonly last: MovedFiles }

/** Two rounds: the second sees whether files still come into the old store. */
async function moveAll(
  source: () => Promise<MovingFile[]>,
  move: Omit<FileMove, 'moved'>,
  begin: (total: number) => Progress,
): Promise<Rounds> {
  const round = async () => {
    const files = await source()
    const progress = begin(files.reduce((sum, { size }) => sum + size, 0))
    let [count, bytes] = [0, 0]
    const moved = (file: MovingFile) => {
      count += 1
      bytes += file.size
      progress.update(count, bytes)
    }
    return moveFiles(files, { ...move, moved }).finally(() => progress.end())
  }
  const first = await round()
  const last = await round()
  return { copied: first.copied + last.copied, last }
}

function stopOnSignals(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => controller.abort(new Interrupted('Stopped: run it again, and it goes on from here')))
  return controller.signal
}

/** The outcome that a program reads; `isDone`: no file needs the old store. */
function outcomeOf({ copied, last }: Rounds, { from, to }: Pick<FileMove, 'from' | 'to'>) {
  const { count: files, bytes, lacking } = last
  const isDone = last.copied === 0 && lacking.length === 0
  return { from: from.name, to: to.name, files, bytes, copied, lacking: lacking.length, isDone }
}

export async function run(cli: CommandContext, { to: named }: { readonly to?: string }): Promise<void> {
  const { output } = cli
  const config = readConfig()
  const fallback = checkStores(config.files, named)
  const catalog = await loadCatalog(cli)
  if (!catalog.files) throw new UsageError('no field of this application holds a file')
  const sinceMs = performance.now()
  const fetch = ownBucketFetch(config.outgoing)
  const from = await openObjectStore(fallback, fetch)
  const to = await openObjectStore(config.files.store, fetch)
  const stop = stopOnSignals()
  const begin = (total: number) => startProgress({ label: 'move files', unit: 'files', total, quiet: output.json })
  const rounds = await whileFilesHeld(config.database, () =>
    moveAll(() => filesOf(config, catalog), { from, to, stop }, begin),
  )
  const seconds = (performance.now() - sinceMs) / 1000
  const outcome = outcomeOf(rounds, { from, to })
  const lackingFirst = rounds.last.lacking.slice(0, shownMax)
  if (output.json) await output.value({ ...outcome, seconds, lackingFirst })
  else {
    output.note(
      `${outcome.files} files, ${printBytes(outcome.bytes)}, are in ${to.name}: ${outcome.copied} were copied now, and read back, in ${formatSeconds(seconds)}`,
    )
    for (const { why } of lackingFirst) output.note(why)
  }
  if (!outcome.isDone) throw new StartError(whyNot(outcome))
  output.note(
    `No file needs ${from.name}: start the servers without FILES_STORE_FALLBACK. The folder files in it may go then`,
  )
}

function whyNot({ lacking, from, to }: ReturnType<typeof outcomeOf>): string {
  if (lacking > 0)
    return `${lacking} files cannot be read in ${from} as they were stored: bindery doctor --deep lists them`
  return `Files still come into ${from}: a server writes there. Start all with FILES_STORE=${to}, and run this again`
}

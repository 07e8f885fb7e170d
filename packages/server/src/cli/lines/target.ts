/**
 * The output of an export: standard output, or a file that appears only when it is complete. It
 * compresses files named `.gz`, and replaces an existing file only on demand.
 */
import { once } from 'node:events'
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { createGzip } from 'node:zlib'
import type { Output } from '../../command/output.ts'
import { StartError } from '../../errors.ts'
import { fileError } from '../failure.ts'
import { isCompressed, isStandard } from './format.ts'

export type OutputTarget = {
  /** Resolves when more may come. Throws `StartError`. */
  write(text: string): Promise<void>
  /** Call it after the last write: the file appears. Throws `StartError`. */
  finish(): Promise<void>
  /** Removes the partial file. */
  abandon(): void
}

export type OutputTargetOptions = {
  /** Replaces an existing file. */
  readonly force?: boolean | undefined
  /** Only its owner may read the file, even where it replaces one that others may read. */
  readonly private?: boolean
}

/**
 * Exports contain private data, so only their owner may read them. A file keeps the mode that its
 * owner has set.
 */
function modeOf(file: string, isPrivate: boolean): number {
  const replaced = isPrivate ? undefined : statSync(file, { throwIfNoEntry: false })
  return replaced?.isFile() ? replaced.mode & 0o777 : 0o600
}

/** A regular file gets its name when it is complete; a pipe or device is written directly. */
export async function openTarget(
  file: string | undefined,
  output: Output,
  { force = false, private: isPrivate = false }: OutputTargetOptions = {},
): Promise<OutputTarget> {
  if (isStandard(file)) return { write: output.write, finish: async () => {}, abandon: () => {} }
  const direct = existsSync(file) && !statSync(file).isFile()
  const checkFree = () => {
    if (!direct && !force && existsSync(file)) throw new StartError(`${file} is there already; --force replaces it`)
  }
  checkFree()
  const path = direct ? file : `${file}.${process.pid}.part`
  const onDisk = createWriteStream(path, { flush: !direct, mode: modeOf(file, isPrivate) })
  try {
    await once(onDisk, 'open')
  } catch (error) {
    throw fileError('write', file, error)
  }
  const packed = isCompressed(file) ? createGzip() : undefined
  const stream = packed ?? onDisk
  packed?.pipe(onDisk)
  let failure: unknown
  for (const one of [stream, onDisk])
    one.on('error', (error) => {
      failure ??= error
      packed?.destroy(error)
    })
  const check = () => {
    if (failure) throw fileError('write', file, failure)
  }
  return {
    async write(text) {
      check()
      if (text !== '' && !stream.write(text)) await once(stream, 'drain').catch(check)
    },
    async finish() {
      check()
      stream.end()
      if (!onDisk.closed) await once(onDisk, 'close').catch(check)
      check()
      checkFree()
      if (!direct) renameSync(path, file)
    },
    abandon() {
      packed?.destroy()
      onDisk.destroy()
      if (!direct) rmSync(path, { force: true })
    },
  }
}

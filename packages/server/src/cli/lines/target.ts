/**
 * What an export writes to: standard output, or a file that appears whole or not at all. A file
 * whose name ends in `.gz` is compressed, and one that is there is replaced only on demand.
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
  /** Call it when everything is written: the file appears. Throws `StartError`. */
  finish(): Promise<void>
  /** Removes what was written. */
  abandon(): void
}

export type OutputTargetOptions = {
  /** Replaces a file that is there. */
  readonly force?: boolean | undefined
  /** Only its owner may read the file, also where it replaces one that others may read. */
  readonly private?: boolean
}

/**
 * Exports hold what people wrote, and their addresses: a file is its owner's alone until its owner
 * says otherwise, and then keeps that.
 */
function modeOf(file: string, isPrivate: boolean): number {
  const replaced = isPrivate ? undefined : statSync(file, { throwIfNoEntry: false })
  return replaced?.isFile() ? replaced.mode & 0o777 : 0o600
}

/**
 * A regular file appears under its name when it is complete; a pipe or device is written to
 * directly.
 */
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

/** What an export writes to: standard output, or a file that appears whole or not at all. */
import { once } from 'node:events'
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { fileError } from './failure.ts'
import { isStandard } from './format.ts'
import type { Output } from './output.ts'

export type Target = {
  /** Resolves when more may come. Throws `StartError`. */
  write(text: string): Promise<void>
  /** Call it when everything is written: the file appears. Throws `StartError`. */
  finish(): Promise<void>
  /** Removes what was written. */
  abandon(): void
}

/** A regular file appears under its name when it is complete; a pipe or device is written to directly. */
export async function openTarget(file: string | undefined, output: Output): Promise<Target> {
  if (isStandard(file)) return { write: output.write, finish: async () => {}, abandon: () => {} }
  const direct = existsSync(file) && !statSync(file).isFile()
  const path = direct ? file : `${file}.${process.pid}.part`
  const stream = createWriteStream(path)
  try {
    await once(stream, 'open')
  } catch (error) {
    throw fileError('write', file, error)
  }
  let failure: unknown
  stream.on('error', (error) => {
    failure = error
  })
  const check = () => {
    if (failure) throw fileError('write', file, failure)
  }
  return {
    async write(text) {
      check()
      if (!stream.write(text)) await once(stream, 'drain').catch(check)
    },
    async finish() {
      stream.end()
      await once(stream, 'close').catch(check)
      check()
      if (!direct) renameSync(path, file)
    },
    abandon() {
      stream.destroy()
      if (!direct) rmSync(path, { force: true })
    },
  }
}

/**
 * The uploads of one field of a form. The form cannot be saved while one is under way. A reload of
 * the page keeps what the server has: the same file, chosen again, goes on there.
 */
import { RequestError } from 'bindery-server/client'
import { useEffect, useRef, useState } from 'react'
import { client } from '../../api/client.ts'
import { sayError } from '../../shell/form-errors.ts'
import type { ControlProps } from '../control.ts'
import { dataOf } from './file-bytes.ts'
import { type Arriving, filesIn, isArriving, isPicture, type ShownFile } from './shown-file.ts'

export type Upload = {
  readonly key: string
  readonly file: File
  readonly sent: number
  /** Why it has stopped. */
  readonly problem?: string
  /** The file itself was refused: another try would be, too. */
  readonly isRefused?: boolean
}

/** Pictures of files that the server has, and no record yet. */
const previews = new Map<string, string>()
const previewBytesMax = 10_000_000
export const previewOf = ({ id }: ShownFile) => previews.get(id)

async function keepPreview(id: string, file: File): Promise<void> {
  if (isPicture(file) && file.size <= previewBytesMax) previews.set(id, await dataOf(file))
}

const refusals: readonly number[] = [400, 403, 413, 415]
const isRefusal = (error: unknown) => error instanceof RequestError && refusals.includes(error.status)

/** The value while files arrive, or without any. */
function heldValue(files: readonly ShownFile[], arriving: readonly Upload[], isMany: boolean): unknown {
  const held = isMany ? files : (files[0] ?? null)
  if (arriving.length === 0) return held
  const names = arriving.map(({ file }) => file.name).join(', ')
  return { unread: names, arrives: true, before: held } satisfies Arriving
}

export function useUploads({ field, value, onChange }: ControlProps) {
  const isMany = field.file?.filesMax !== undefined
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const ends = useRef(new Map<string, AbortController>())
  // Uploads end one by one, each after the last change of the form.
  const now = useRef({ value, uploads, onChange })
  now.current = { ...now.current, value, onChange }

  function show(next: readonly Upload[], files: readonly ShownFile[] = filesIn(now.current.value)): void {
    const told = heldValue(files, next, isMany)
    now.current = { ...now.current, uploads: next, value: told }
    setUploads(next)
    now.current.onChange(told)
  }
  const change = (key: string, part: Partial<Upload>) => {
    const next = now.current.uploads.map((one) => (one.key === key ? { ...one, ...part } : one))
    now.current = { ...now.current, uploads: next }
    setUploads(next)
  }

  async function run({ key, file }: Upload): Promise<void> {
    const end = new AbortController()
    ends.current.set(key, end)
    try {
      const { resource } = field.file ?? { resource: '' }
      const onProgress = ({ sent }: { readonly sent: number }) => change(key, { sent })
      const id = await client.upload(file, { resource, field: field.name, onProgress, signal: end.signal })
      await keepPreview(id, file)
      const made = { id, name: file.name, type: file.type || 'application/octet-stream', size: file.size }
      const others = now.current.uploads.filter((one) => one.key !== key)
      show(others, isMany ? [...filesIn(now.current.value), made] : [made])
    } catch (error) {
      if (!end.signal.aborted) change(key, { problem: sayError(error as Error), isRefused: isRefusal(error) })
    } finally {
      ends.current.delete(key)
    }
  }

  useEffect(() => {
    const running = ends.current
    const first = now.current
    // A draft that was reloaded waits for nothing any more.
    if (isArriving(first.value)) first.onChange(first.value.before)
    return () => {
      for (const end of running.values()) end.abort()
    }
  }, [])

  return {
    isMany,
    uploads,
    files: filesIn(value),
    add(chosen: readonly File[]): void {
      const taken = isMany ? chosen : chosen.slice(0, 1)
      if (taken.length === 0) return
      for (const end of isMany ? [] : ends.current.values()) end.abort()
      const made = taken.map((file): Upload => ({ key: crypto.randomUUID(), file, sent: 0 }))
      show(isMany ? [...now.current.uploads, ...made] : made)
      for (const one of made) void run(one)
    },
    /** Goes on where the server has it. */
    retry(upload: Upload): void {
      const { problem: _, isRefused: __, ...again } = upload
      show(now.current.uploads.map((one) => (one.key === upload.key ? again : one)))
      void run(again)
    },
    cancel({ key }: Upload): void {
      ends.current.get(key)?.abort()
      show(now.current.uploads.filter((one) => one.key !== key))
    },
    remove({ id }: ShownFile): void {
      show(
        now.current.uploads,
        filesIn(now.current.value).filter((one) => one.id !== id),
      )
    },
  }
}

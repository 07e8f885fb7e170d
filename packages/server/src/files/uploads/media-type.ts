/**
 * Finds the media type of a file by its bytes, with the package `file-type`. Texts have no mark of
 * their own: they are what their sender says, where all of their bytes are UTF-8 without NUL.
 */
import { loadOnce } from '../../base/optional-package.ts'
import { ApiError } from '../../errors.ts'
import { type FileLimits, takesType } from '../../resource/fields/files/file-options.ts'

/** The bytes that decide a type: some formats begin with a table of this length. */
export const headBytes = 65_536

const load = loadOnce(() => import('file-type'))

/** Types of texts, whose bytes show nothing but that they are a text. */
const textual =
  /^(?:text\/[a-z0-9.+-]+|application\/(?:json|xml|yaml|javascript|[a-z0-9.-]+\+(?:json|xml))|image\/svg\+xml)$/

const plainText = 'text/plain'
const unknownType = 'application/octet-stream'

/** `type`: the type of the file, where `isText` holds for all of its bytes. */
export type FoundType = { readonly type: string; readonly isText: boolean }

/** `image/PNG; q=1` → `image/png`; undefined where nothing is said. */
export function saidType(header: string | undefined): string | undefined {
  const type = (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === '' || type === unknownType ? undefined : type
}

function refused(name: string, { types }: FileLimits, found: string): ApiError {
  const takes = types ? `takes ${types.join(', ')}` : 'takes no such file'
  return new ApiError('unsupported-media-type', `${name} ${takes}, and these bytes are ${found}`)
}

const isUtf8 = (head: Buffer) => {
  // The last character may be cut.
  for (const cut of [0, 1, 2, 3])
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(head.subarray(0, head.length - cut))
      return !head.includes(0)
    } catch {
      if (head.length < headBytes) return false
    }
  return false
}

/** The type of a text: the one that is said, where the field takes it, or plain text. */
function textType(head: Buffer, limits: FileLimits, said: string | undefined): string | undefined {
  const isSvg = said === 'image/svg+xml' || limits.types?.includes('image/svg+xml')
  const candidates = [
    ...(isSvg && /<svg[\s>]/i.test(head.toString('utf8')) ? ['image/svg+xml'] : []),
    ...(said !== undefined && said !== 'image/svg+xml' && textual.test(said) ? [said] : []),
    plainText,
  ]
  return candidates.find((one) => takesType(limits, one))
}

/**
 * The type of a file that begins with these bytes. Throws `unsupported-media-type` where the field
 * takes no such file.
 */
export async function findType(
  head: Buffer,
  { name, limits, said }: { readonly name: string; readonly limits: FileLimits; readonly said: string | undefined },
): Promise<FoundType> {
  const { fileTypeFromBuffer } = await load()
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  const isMarked = found !== undefined && found.mime !== 'application/xml'
  if (isMarked) {
    if (!takesType(limits, found.mime)) throw refused(name, limits, found.mime)
    return { type: found.mime, isText: false }
  }
  const text = isUtf8(head) ? textType(head, limits, said) : undefined
  if (text !== undefined) return { type: text, isText: true }
  if (!takesType(limits, unknownType)) throw refused(name, limits, found?.mime ?? 'of no type that it knows')
  return { type: unknownType, isText: false }
}

/** Throws `unsupported-media-type` from the bytes on that are no text. */
export function makeTextCheck(name: string): { next(chunk: Buffer): void; end(): void } {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const check = (work: () => void) => {
    try {
      work()
    } catch (cause) {
      throw new ApiError('unsupported-media-type', `${name} begins as a text, and has other bytes later`, { cause })
    }
  }
  return {
    next(chunk) {
      check(() => {
        if (chunk.includes(0)) throw new Error('NUL')
        decoder.decode(chunk, { stream: true })
      })
    },
    end: () => check(() => decoder.decode()),
  }
}

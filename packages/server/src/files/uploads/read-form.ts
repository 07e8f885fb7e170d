/**
 * Reads `multipart/form-data` (RFC 7578) as a stream, with the package `@fastify/busboy`. One part
 * is taken after another, at the speed of its taker.
 */
import type { Readable } from 'node:stream'
import { loadOnce } from '../../base/optional-package.ts'
import { ApiError } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { limits } from '../../limits.ts'
import { bytesOfBody, copiesOf } from './body-bytes.ts'
import { checkTakesForms } from './upload-packages.ts'

const load = loadOnce(async () => {
  checkTakesForms()
  return import('@fastify/busboy')
})

const textsMax = 500
const headersMax = 20

export type FormFile = {
  readonly name: string | undefined
  readonly type: string | undefined
  readonly stream: Readable
}

export type FormTaker = {
  text(name: string, text: string): void
  /** Takes the whole stream, or throws. */
  file(name: string, file: FormFile): Promise<void>
}

/** Of all parts with files together. */
type FormBounds = { readonly filesMax: number; readonly bytesMax: number }

const tooLarge = () => new ApiError('too-large', 'The form has more parts, or larger ones, than it may have')

const malformed = (cause: unknown) =>
  cause instanceof ApiError ? cause : new ApiError('bad-request', 'The body is no multipart/form-data', { cause })

/** A promise that settles from outside, and whose failure may go unheard. */
function settled<T>() {
  const made = Promise.withResolvers<T>()
  made.promise.catch(() => undefined)
  return made
}

async function makeParser(request: HttpRequest, { filesMax }: FormBounds) {
  const { Busboy } = await load()
  const { 'content-type': type = '' } = request.headers
  try {
    return new Busboy({
      headers: { 'content-type': type },
      limits: {
        fieldNameSize: 200,
        fieldSize: limits.bodyBytesMax,
        fields: textsMax,
        files: filesMax,
        headerPairs: headersMax,
      },
    })
  } catch (error) {
    throw malformed(error)
  }
}

/** Throws `bad-request`, `too-large`, and what the taker throws. */
export async function readForm(request: HttpRequest, bounds: FormBounds, taker: FormTaker): Promise<void> {
  const parser = await makeParser(request, bounds)
  const ended = settled<void>()
  const taking: Promise<void>[] = []
  const streams: Readable[] = []
  let textBytes = 0
  // biome-ignore lint/complexity/useMaxParams: the library calls it so
  parser.on('field', (name, text, isNameCut, isTextCut) => {
    textBytes += Buffer.byteLength(text)
    if (isNameCut || isTextCut || textBytes > limits.bodyBytesMax) return ended.reject(tooLarge())
    try {
      taker.text(name, text)
    } catch (error) {
      ended.reject(error)
    }
  })
  // biome-ignore lint/complexity/useMaxParams: the library calls it so
  parser.on('file', (name, stream, fileName, _encoding, type) => {
    stream.on('error', ended.reject)
    streams.push(stream)
    // One after another: a list of files has their order.
    const taken = (taking.at(-1) ?? Promise.resolve()).then(() => taker.file(name, { name: fileName, type, stream }))
    taking.push(taken)
    taken.catch((error) => {
      ended.reject(error)
      stream.resume()
    })
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.on(limit, () => ended.reject(tooLarge()))
  parser.on('error', (error) => ended.reject(malformed(error)))
  parser.on('finish', () => void Promise.all(taking).then(() => ended.resolve(), ended.reject))
  try {
    await feed(parser, request, { ended: ended.promise, bytesMax: bounds.bytesMax + 2 * limits.bodyBytesMax })
    await ended.promise
  } catch (error) {
    // The parser is fed no more, so a part that is being taken would wait for its rest.
    for (const stream of streams) stream.destroy(error as Error)
    throw error
  } finally {
    await Promise.allSettled(taking)
  }
}

type Fed = { readonly ended: Promise<void>; readonly bytesMax: number }

/** Writes the body into the parser, as fast as the parts are taken. */
async function feed(
  parser: import('node:stream').Writable,
  { body }: HttpRequest,
  { ended, bytesMax }: Fed,
): Promise<void> {
  let bytes = 0
  // Files that wait for their turn keep pieces.
  for await (const chunk of copiesOf(bytesOfBody(body))) {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLarge()
    if (parser.write(chunk)) continue
    const drained = new Promise<void>((resolve) => parser.once('drain', resolve))
    await Promise.race([drained, ended])
  }
  parser.end()
}

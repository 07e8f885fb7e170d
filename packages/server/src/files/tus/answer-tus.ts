/**
 * Answers requests of tus 1.0.0 by the package `@tus/server`: it reads the headers and compares
 * offsets. The caller is identified and judged here, and errors are those of all other routes.
 */
import { ReadableStream } from 'node:stream/web'
import { loadOnce } from '../../base/optional-package.ts'
import { ApiError, type ErrorCode } from '../../errors.ts'
import { exposing } from '../../http/messages/cors.ts'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { refuseDryRun } from '../../http/messages/preferences.ts'
import { apiPrefix } from '../../resource/words/api-prefix.ts'
import type { FileHandling } from '../serving/handed-on.ts'
import { bytesOfBody, copiesOf } from '../uploads/body-bytes.ts'
import { uploadCaller } from '../uploads/upload-caller.ts'
import { checkTakesTus } from '../uploads/upload-packages.ts'
import { makeTusStore } from './tus-store.ts'

export const uploadsPath = `${apiPrefix}/_uploads`
export const tusVersion = '1.0.0'

const load = loadOnce(async () => {
  checkTakesTus()
  return import('@tus/server')
})

/** How long a request that another one has asked to end may still store what it has. */
const drainMs = 50

const bytesType = 'application/offset+octet-stream'
const taken = ['tus-resumable', 'content-type', 'content-length', 'upload-length', 'upload-defer-length'] as const
const takenToo = ['upload-offset', 'upload-metadata', 'upload-concat'] as const
const shown = ['location', 'tus-resumable', 'upload-offset', 'upload-length', 'upload-expires', 'upload-metadata']

/** The refusals of the package, whose own sentences are for its users. */
const refusals: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  404: ['not-found', 'There is no such upload, or no longer; begin it again'],
  409: ['conflict', 'The upload has not as many bytes as Upload-Offset says; ask for its offset with HEAD'],
  410: ['not-found', 'There is no such upload, or no longer; begin it again'],
  412: ['precondition-failed', `The request must have the header Tus-Resumable: ${tusVersion}`],
  413: ['too-large', 'The body has more bytes than Upload-Length leaves'],
  501: ['bad-request', 'Upload-Length is missing: uploads of unknown length, or of several uploads, are not taken'],
}

function refusalOf(status: number, text: string): ApiError {
  const known = refusals[status]
  if (known) return new ApiError(...known)
  if (status < 500) return new ApiError('bad-request', `The request is none of tus ${tusVersion}: ${text.trim()}`)
  throw new Error(`the tus server answered ${status} ${text}`)
}

type Cut = { error?: unknown }

/**
 * The bytes of the body as they arrive: a request that has to end stores those that it has. A cut
 * ends them, so that what came before it is stored. The package keeps pieces, so it has its own.
 */
async function* bytesUntilCut({ body }: HttpRequest, cut: Cut): AsyncGenerator<Buffer> {
  try {
    yield* copiesOf(bytesOfBody(body, 1))
  } catch (error) {
    cut.error = error
  }
}

function webRequestOf(request: HttpRequest, cut: Cut): Request {
  const { method, headers: sent, path } = request
  const headers = new Headers()
  for (const name of [...taken, ...takenToo]) {
    const value = sent[name]
    if (value !== undefined) headers.set(name, String(value))
  }
  const hasBody = request.body !== undefined && (method === 'PATCH' || method === 'POST')
  // Nothing is read ahead: bytes that wait here would be lost with a connection.
  const body = hasBody ? ReadableStream.from(bytesUntilCut(request, cut)) : null
  return new Request(new URL(path, 'http://localhost'), { method, headers, body, duplex: 'half' } as RequestInit)
}

function responseOf({ status, headers }: Response): HttpResponse {
  const found = shown.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return {
    status,
    headers: { ...Object.fromEntries(found), ...exposing(shown), 'cache-control': 'no-store' },
    body: null,
  }
}

/** The checks that the package leaves to its users, or makes with another status. */
function checkRequest({ method, headers }: HttpRequest): void {
  if (method !== 'HEAD') refuseDryRun({ headers })
  if (headers['tus-resumable'] !== tusVersion) throw refusalOf(412, '')
  if (method === 'PATCH' && headers['content-type'] !== bytesType)
    throw new ApiError('unsupported-media-type', `The bytes of an upload must be sent as ${bytesType}`)
}

/** Throws what all of its steps throw. */
export async function answerTus({ room, pipeline }: FileHandling, request: HttpRequest): Promise<HttpResponse> {
  const { address, headers, parameters, tell } = request
  tell('tus-resumable', tusVersion)
  tell('tus-version', tusVersion)
  const caller = await uploadCaller(pipeline, request)
  checkRequest(request)
  const own = await load()
  const failed: { error?: unknown } = {}
  const cut: Cut = {}
  const checksum = headers['upload-checksum'] as string | undefined
  const datastore = makeTusStore({ room, caller, address, checksum }, own, (error) => {
    failed.error ??= error
  })
  const server = new own.Server({
    path: uploadsPath,
    relativeLocation: true,
    datastore,
    locker: room.uploadTurns,
    lockDrainTimeout: drainMs,
    namingFunction: () => crypto.randomUUID(),
    getFileIdFromRequest: () => parameters.id,
    allowedOrigins: [],
    onResponseError(_request, error) {
      if (!('status_code' in error)) failed.error ??= error
      return undefined
    },
  })
  const reply = await server.handleWeb(webRequestOf(request, cut))
  const refused = failed.error ?? cut.error
  if (refused !== undefined) throw refused
  if (reply.status >= 400) throw refusalOf(reply.status, await reply.text())
  return responseOf(reply)
}

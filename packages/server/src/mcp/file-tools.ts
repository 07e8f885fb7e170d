/**
 * The tools `read_file` and `put_file`, for small files of records. Larger ones are for programs:
 * an answer with all of their bytes would fill the memory of an agent.
 */
import { Readable } from 'node:stream'
import { ApiError } from '../errors.ts'
import { bytesOf, type HttpRequest, type HttpResponse, isWholeBody } from '../http/messages/exchange.ts'
import { limits } from '../limits.ts'
import { apiPrefix } from '../resource/words/api-prefix.ts'
import type { FileRoute } from '../rest/file-routes.ts'
import type { ToolOffer } from './tool-offers.ts'
import { checkArguments, queryText } from './tools.ts'

export type FileTools = {
  /** Finds the route of a file below `/api/v1`. */
  find(
    method: string,
    path: string,
  ): { readonly route: FileRoute; readonly parameters: HttpRequest['parameters'] } | undefined
  /** Handles a request. Throws as REST does. */
  answer(route: FileRoute, request: HttpRequest): Promise<HttpResponse>
}

type Schema = Readonly<Record<string, unknown>>
const path: Schema = { type: 'string', description: 'The `url` of the file, or where it will be: `things/ID/photo`.' }
const string = (description: string): Schema => ({ type: 'string', description })

const properties = {
  read_file: { path, variant: string('Of an image that has variants.') },
  put_file: {
    path,
    name: string('`notes.txt`'),
    type: string('The media type of a text; the bytes decide all others.'),
    text: string('The file, if it is a text.'),
    base64: string('The bytes of any other file.'),
    version: { type: 'integer', description: 'Of the record, as `get` told it.' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Schema>>>>
export type FileToolName = keyof typeof properties

const abouts: Readonly<Record<FileToolName, string>> = {
  read_file: `Read a file of a record, of at most ${limits.mcpAnswerBytesMax} bytes: a text, or an image.`,
  put_file: 'Give a field of a record its file, or a list one more.',
}

export const isFileTool = (name: string): name is FileToolName => Object.hasOwn(properties, name)
export const isReadingFile = (name: FileToolName): boolean => name === 'read_file'

export function fileToolList(offers: readonly ToolOffer[]) {
  const isFor = (tool: string) =>
    offers.some(({ tool: one, route }) => one === tool && route.target.resource.fileNames.length > 0)
  const names: readonly FileToolName[] = [
    ...(isFor('get') ? (['read_file'] as const) : []),
    ...(isFor('update') ? (['put_file'] as const) : []),
  ]
  return names.map((name) => ({
    name,
    description: abouts[name],
    inputSchema: {
      type: 'object' as const,
      properties: properties[name],
      required: name === 'read_file' ? ['path'] : ['path', 'name'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: isReadingFile(name), destructiveHint: !isReadingFile(name), openWorldHint: false },
  }))
}

export type FileContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }

const tooLong = (size: number) =>
  new ApiError(
    'bad-request',
    `The file has ${size} bytes, and an agent reads at most ${limits.mcpAnswerBytesMax}; of an image ask for a variant`,
  )

async function wholeOf({ body }: HttpResponse): Promise<Buffer> {
  if (isWholeBody(body)) return bytesOf(body)
  const pieces: Buffer[] = []
  for await (const piece of body ?? []) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** A text, or a picture. Throws `bad-request` for others, and for larger ones. */
async function contentOf(response: HttpResponse): Promise<FileContent> {
  const size = Number(response.headers['content-length'])
  if (size > limits.mcpAnswerBytesMax) throw tooLong(size)
  const [type = ''] = String(response.headers['content-type']).split(';')
  const bytes = await wholeOf(response)
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(type))
    return { type: 'image', data: bytes.toString('base64'), mimeType: type }
  if (/^text\/|[/+](?:json|xml)$/.test(type)) return { type: 'text', text: bytes.toString() }
  throw new ApiError('bad-request', `A file of ${type} is no text and no image: a program reads it at its url`)
}

/** Throws `bad-request` unless there is a text, or base64, and not both. */
function bytesGiven({ text, base64 }: Schema): Buffer {
  if ((text === undefined) === (base64 === undefined)) throw new ApiError('bad-request', 'Send text, or base64')
  if (text !== undefined) return Buffer.from(String(text))
  const bytes = Buffer.from(String(base64), 'base64')
  const isWhole = bytes.toString('base64').replace(/=+$/, '') === String(base64).replace(/\s|=+$/g, '')
  if (!isWhole) throw new ApiError('bad-request', 'base64 is malformed')
  return bytes
}

type FileCall = { readonly request: HttpRequest; readonly headers: HttpRequest['headers']; readonly given: Schema }

/** The request with these bytes as its body. */
function puttingRequest({ request, headers, given }: FileCall): HttpRequest {
  const bytes = bytesGiven(given)
  const { name, type, text, version } = given
  const said = type ?? (text === undefined ? 'application/octet-stream' : 'text/plain')
  return {
    ...request,
    headers: {
      ...headers,
      'content-type': String(said),
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(String(name))}`,
      ...(version !== undefined && { 'if-match': `"${version}"` }),
    },
    body: request.body && { ...request.body, invite: undefined, stream: Readable.from([bytes]) },
    query: '',
  }
}

/** Throws `ApiError`, as REST does. */
export async function runFileTool(
  { find, answer }: FileTools,
  name: FileToolName,
  call: FileCall,
): Promise<FileContent> {
  const { given, request, headers } = call
  checkArguments(given, properties[name], name === 'read_file' ? ['path'] : ['path', 'name'])
  const below = String(given.path).replace(`${apiPrefix}/`, '').replace(/^\//, '')
  const at = `${apiPrefix}/${below}`
  const methods = name === 'read_file' ? ['GET'] : ['PUT', 'POST']
  const found = /[?#]/.test(below) ? [] : methods.flatMap((one) => find(one, at) ?? [])
  const [first] = found
  if (!first) throw new ApiError('not-found', `There is no file at ${below.slice(0, 200)}; a record tells its url`)
  const { route, parameters } = first
  const query = given.variant === undefined ? '' : queryText({ variant: given.variant })
  const asked = name === 'read_file' ? { ...request, headers, body: undefined, query } : puttingRequest(call)
  const response = await answer(route, { ...asked, method: route.method, path: at, parameters })
  if (name === 'read_file') return contentOf(response)
  return { type: 'text', text: `{"record":${await wholeOf(response)}}` }
}

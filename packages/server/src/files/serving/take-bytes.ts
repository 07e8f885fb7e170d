/**
 * Requests that give a record a file, or take it: an upload, and then the update of the record with
 * all that an update has. The caller is admitted, and the record found and judged, before a byte of
 * the body is read. Where the update is refused, its upload is due at once.
 */
import { randomUUID } from 'node:crypto'
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { type FileRoute, fileParameter } from '../../rest/file-routes.ts'
import { handleRequest } from '../../rest/handle-request.ts'
import { judgeUpdate } from '../../rest/record-journey.ts'
import { bytesOfBody } from '../uploads/body-bytes.ts'
import { nameIn } from '../uploads/content-disposition.ts'
import { receiveUpload } from '../uploads/receive-upload.ts'
import { expireUpload, type UploadPurpose } from '../uploads/upload-rows.ts'
import { asCounted, checkWholeBytes, type FileHandling, refuseKey, tenantOfRecord } from './handed-on.ts'
import { fileNamed, noFile } from './serve-bytes.ts'

type NamedUpload = { readonly id: string }

/** The body of the update that the request stands for. */
const valueFor = {
  put: (file: NamedUpload) => file,
  add: (file: NamedUpload) => ({ add: [file] }),
  clear: () => null,
  remove: ({ id }: NamedUpload) => ({ remove: [id] }),
} as const
export type WritingAction = keyof typeof valueFor

/** The update of the record that the request stands for. */
function update(
  { pipeline }: FileHandling,
  { of, field, action }: FileRoute,
  given: { request: HttpRequest; file: NamedUpload },
) {
  const value = { [field]: valueFor[action as WritingAction](given.file) }
  return handleRequest(pipeline, of, asCounted({ ...given.request, method: 'PATCH' }, value))
}

function announcedSize({ headers }: HttpRequest): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}

/** `PUT /things/{id}/photo`, `POST /things/{id}/photos` */
export async function putFile(handling: FileHandling, route: FileRoute, request: HttpRequest): Promise<HttpResponse> {
  const { room, pipeline } = handling
  refuseKey(request)
  checkWholeBytes(request)
  const { of, field, action } = route
  const wanted = { [field]: valueFor[action as WritingAction]({ id: randomUUID() }) }
  const judged = await judgeUpdate(pipeline, { route: of, value: wanted }, request)
  const { resource } = of.target
  const { address, headers } = request
  const purpose: UploadPurpose = {
    resource,
    field,
    caller: judged.caller.principal,
    tenant: await tenantOfRecord(judged, resource),
    address,
  }
  const file = await receiveUpload(room, purpose, {
    name: nameIn(headers['content-disposition']),
    type: headers['content-type'],
    size: announcedSize(request),
    bytes: bytesOfBody(request.body),
  })
  try {
    const response = await update(handling, route, { request, file })
    if (action !== 'add' || response.status !== 200) return response
    return { ...response, status: 201, headers: { ...response.headers, location: `${request.path}/${file.id}` } }
  } finally {
    await expireUpload(room, file.id)
  }
}

/** `DELETE /things/{id}/photo`, `DELETE /things/{id}/photos/{file}` */
export async function clearFile(handling: FileHandling, route: FileRoute, request: HttpRequest): Promise<HttpResponse> {
  refuseKey(request)
  const { of, field, action } = route
  const id = request.parameters[fileParameter]?.toLowerCase() ?? ''
  const value = { [field]: action === 'clear' ? null : { remove: [] } }
  const { before } = await judgeUpdate(handling.pipeline, { route: of, value }, request)
  if (!fileNamed(before[field], action === 'clear' ? undefined : id)) throw noFile(of.target.resource, field)
  const response = await update(handling, route, { request, file: { id } })
  if (response.status !== 200) return response
  const { 'content-type': _, ...headers } = response.headers
  return { status: 204, headers, body: null }
}

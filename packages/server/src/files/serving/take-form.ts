/**
 * Bodies of `multipart/form-data`: a record with its files in one request. Parts with a file name
 * are uploads, the others values of fields, as in cells of a table. The server admits the caller
 * and judges the record before it reads a byte.
 */
import type { HttpRequest, HttpResponse } from '../../http/messages/exchange.ts'
import { unknownField } from '../../operation/body.ts'
import { type Field, fieldError } from '../../resource/fields/field.ts'
import type { FileField } from '../../resource/fields/files/file-options.ts'
import { handleRequest } from '../../rest/handle-request.ts'
import { admitCaller, judgeRecord } from '../../rest/record-journey.ts'
import type { Route } from '../../rest/route.ts'
import { parseCell } from '../../value/parse-cell.ts'
import { bytesOfStream } from '../uploads/body-bytes.ts'
import { readForm } from '../uploads/read-form.ts'
import { receiveUpload } from '../uploads/receive-upload.ts'
import { expireUpload, type UploadPurpose } from '../uploads/upload-rows.ts'
import { asCounted, checkWholeBytes, type FileHandling, refuseKey, tenantOfRecord } from './handed-on.ts'

export function isForm({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(headers['content-type'] ?? '')
}

/** An empty part of a field that is no prose is none. */
function valueOfPart(fields: Readonly<Record<string, Field>>, name: string, text: string): unknown {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!field || field.type.isProse) return text
  return text === '' ? null : parseCell(text, name, field)
}

type AddedPart = { readonly name: string; readonly before: unknown; readonly value: unknown }

/** Each part of a list adds to it. Throws `bad-request` for another part of a single value. */
function joined(fields: Readonly<Record<string, Field>>, { name, before, value }: AddedPart): unknown {
  const type = Object.hasOwn(fields, name) ? fields[name]?.type : undefined
  const isList = type?.item !== undefined || type?.isList === true
  if (before === undefined) return isList && type?.holdsFiles && !Array.isArray(value) ? [value] : value
  if (!isList) throw fieldError(name, 'occurs twice')
  return [before ?? [], value ?? []].flat()
}

/** The caller, and the tenant that the record or the request names. */
async function judged({ pipeline }: FileHandling, route: Route, request: HttpRequest) {
  const { resource, operation } = route.target
  if (operation === 'create' || route.upserts) {
    const admitted = await admitCaller(pipeline, { route }, request)
    const { tenant } = admitted.caller.principal
    return { admitted, tenant: tenant === undefined ? null : String(tenant.id) }
  }
  const found = await judgeRecord(pipeline, route, request)
  return { admitted: found, tenant: await tenantOfRecord(found, resource) }
}

type FormParts = { readonly values: Record<string, unknown>; readonly ids: string[] }

async function gatherParts(
  { room }: Pick<FileHandling, 'room'>,
  {
    request,
    purpose,
    visible,
  }: {
    readonly request: HttpRequest
    readonly purpose: Omit<UploadPurpose, 'field'>
    readonly visible: ReadonlySet<string>
  },
  { values, ids }: FormParts,
): Promise<void> {
  const { fields, fileNames } = purpose.resource
  const limits = fileNames.map((name) => {
    const { type, limits: own } = fields[name] as unknown as FileField
    return { bytesMax: own.bytesMax, filesMax: type.holdsFiles === 'one' ? 1 : own.filesMax }
  })
  const filesMax = limits.reduce((sum, { filesMax: max }) => sum + max, 0)
  const bytesMax = limits.reduce((sum, one) => sum + one.bytesMax * one.filesMax, 0)
  await readForm(
    request,
    { filesMax, bytesMax },
    {
      text(name, text) {
        values[name] = joined(fields, { name, before: values[name], value: valueOfPart(fields, name, text) })
      },
      async file(name, { stream, ...said }) {
        const holds = fileNames.includes(name) && visible.has(name) ? fields[name]?.type.holdsFiles : undefined
        if (!holds) throw unknownField(name)
        const bytes = bytesOfStream(stream)
        const file = await receiveUpload(room, { ...purpose, field: name }, { ...said, size: undefined, bytes })
        ids.push(file.id)
        values[name] = joined(fields, { name, before: values[name], value: file })
      },
    },
  )
}

export async function takeForm(handling: FileHandling, route: Route, request: HttpRequest): Promise<HttpResponse> {
  refuseKey(request)
  checkWholeBytes(request)
  const { admitted, tenant } = await judged(handling, route, request)
  const { caller, admission } = admitted
  const { resource } = route.target
  const purpose = { resource, caller: caller.principal, tenant, address: request.address }
  const parts: FormParts = { values: Object.create(null), ids: [] }
  try {
    await gatherParts(handling, { request, purpose, visible: admission.visible }, parts)
    return await handleRequest(handling.pipeline, route, asCounted(request, { ...parts.values }))
  } finally {
    for (const id of parts.ids) await expireUpload(handling.room, id)
  }
}

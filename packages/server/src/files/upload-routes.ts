/**
 * The routes of uploads that come before their record: resumable ones by tus 1.0.0, and those
 * by a signed address. The record's body then names the upload by its id.
 */
import { defineRoute, type RouteCall, type RouteGroup, type RouteTag } from '../endpoint/define-route.ts'
import { documentedResponse } from '../endpoint/documented-response.ts'
import { type RouteContext, ruleAccess } from '../endpoint/route-access.ts'
import type { Catalog } from '../resource/catalog.ts'
import type { FileField } from '../resource/fields/files/file-options.ts'
import { text } from '../resource/fields/text.ts'
import { anyone } from '../resource/rules/anyone.ts'
import type { FileHandling } from './serving/handed-on.ts'
import { signedRoutes, signedShapes } from './signed/signed-routes.ts'
import { checksumAlgorithms } from './tus/announced-checksum.ts'
import { answerTus, tusVersion, uploadsPath } from './tus/answer-tus.ts'

const uploadsTag: RouteTag = {
  name: 'Uploads',
  description: 'Files that are sent before their record, whose body then names them by their id.',
}

const rule = ruleAccess(anyone)
const id = text({ required: true, maxLength: 36, description: 'The id of the upload: the last part of its address.' })

const extensions = ['creation', 'creation-with-upload', 'expiration', 'termination', 'checksum']

/** The largest file that any field takes. */
function bytesMax({ resources }: Catalog): number {
  const fields = [...resources.values()].flatMap((one) => one.fileNames.map((name) => one.fields[name]))
  return Math.max(...fields.map((field) => (field as unknown as FileField).limits.bytesMax))
}

/** The abilities of the server, for clients that ask with `OPTIONS`. */
const toldOf = (catalog: Catalog) => ({
  'tus-version': tusVersion,
  'tus-resumable': tusVersion,
  'tus-extension': extensions.join(','),
  'tus-checksum-algorithm': checksumAlgorithms.join(','),
  'tus-max-size': String(bytesMax(catalog)),
})

const errors = ['bad-request', 'unauthenticated', 'not-found', 'precondition-failed'] as const
/** The answer has what the descriptions say. */
const run = async ({ request }: Pick<RouteCall, 'request'>, needs: FileHandling) =>
  (await answerTus(needs, request)) as never

function tusRoutes({ catalog }: RouteContext) {
  const told = toldOf(catalog)
  const shared = { rule, isRaw: true, takesTenant: true, optionHeaders: told } as const
  const ofOne = { ...shared, path: `${uploadsPath}/:id`, parameters: { id } } as const
  const words = (name: string, summary: string, about: string) => ({
    id: name,
    tag: uploadsTag,
    summary,
    about,
    notForModels: true as const,
  })
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: uploadsPath,
      describe: words(
        'createUpload',
        'Begin a resumable upload',
        'By tus 1.0.0. `Upload-Length` has the size. `Upload-Metadata` has `resource` and `field`, and may have `filename` and `filetype`, each in Base64.',
      ),
      limits: { rate: 'write' },
      output: { 201: documentedResponse('It has begun.', { headers: ['Location', 'Upload-Expires'] }) },
      errors: [...errors, 'forbidden', 'too-large', 'unsupported-media-type'],
      run,
    }),
    defineRoute({
      ...ofOne,
      method: 'HEAD',
      describe: words('getUpload', 'Read how far an upload is', 'By tus 1.0.0.'),
      limits: { rate: 'read' },
      output: { 200: documentedResponse('Its offset.', { headers: ['Upload-Offset', 'Upload-Length'] }) },
      errors,
      run,
    }),
    defineRoute({
      ...ofOne,
      method: 'PATCH',
      describe: words('continueUpload', 'Send the next bytes of an upload', 'By tus 1.0.0, from `Upload-Offset` on.'),
      limits: { rate: 'write' },
      output: { 204: documentedResponse('They are stored.', { headers: ['Upload-Offset', 'Upload-Expires'] }) },
      errors: [...errors, 'conflict', 'too-large', 'unsupported-media-type'],
      run,
    }),
    defineRoute({
      ...ofOne,
      method: 'DELETE',
      describe: words('endUpload', 'End an upload', 'By tus 1.0.0. Its bytes are removed.'),
      limits: { rate: 'write' },
      output: { 204: documentedResponse('It has ended.') },
      errors: [...errors, 'conflict'],
      run,
    }),
  ]
}

/** Where files are in a folder, such a route refuses every request, and documents leave it out. */
const refusing = { line: { operation: 'signed uploads', who: 'no caller', answers: '409 where files are in a folder' } }

/** None where no field holds files. */
export function uploadRoutes(ground: RouteContext): RouteGroup<FileHandling> {
  if (!ground.catalog.files) return { routes: [] }
  const signed = signedRoutes({ path: uploadsPath, tag: uploadsTag })
  if (ground.settings.signsUploads) return { routes: [...tusRoutes(ground), ...signed], shapes: signedShapes }
  return { routes: [...tusRoutes(ground), ...signed.map((one) => ({ ...one, describe: refusing }))] }
}

/**
 * Judges for what an upload is, before any byte of it. The caller may create or change records of
 * the resource and set the field. The field takes files of the announced type and size. The write
 * that takes the upload is judged anew.
 */
import { ApiError } from '../../errors.ts'
import { unknownField } from '../../operation/body.ts'
import { forbidden } from '../../policy/judge.ts'
import type { Admission, Policy } from '../../policy/policy.ts'
import { tenantText } from '../../policy/tenants/request-tenants.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import { type FileField, takesType } from '../../resource/fields/files/file-options.ts'
import type { Principal } from '../../resource/principal.ts'
import { fileTooLarge } from './checked-bytes.ts'

/** As the sender says it. */
export type SaidPurpose = { readonly resource: string | null; readonly field: string | null }

export type JudgedPurpose = {
  readonly resource: Resource
  readonly field: string
  /** The id of the tenant whose records it is for. */
  readonly tenant: string | null
}

export type PurposeJudge = { readonly catalog: Catalog; readonly policy: Policy }

/** The operations whose bodies name uploads. */
const operations = ['create', 'update', 'replace'] as const

function resourceNamed({ resources }: Catalog, slug: string | null): Resource {
  const found = [...resources.values()].find((one) => one.slug === slug && one.fileNames.length > 0 && !one.traits.made)
  if (found) return found
  throw new ApiError('bad-request', 'The upload must name the resource of its record, as in paths, one that has files')
}

/** The operations that the caller may do. Throws the first refusal where there are none. */
function admitted(policy: Policy, resource: Resource, caller: Principal): readonly Admission[] {
  const refusals: unknown[] = []
  const found = operations
    .filter((operation) => resource.access[operation])
    .flatMap((operation) => {
      try {
        return [policy.admit(caller, { resource, operation })]
      } catch (error) {
        refusals.push(error)
        return []
      }
    })
  if (found.length > 0) return found
  throw refusals[0] ?? forbidden()
}

/** A new record has no value yet that the caller may not read, where that depends on the record. */
function exists({ visible, target }: Admission, name: string): boolean {
  return visible.has(name) || (target.operation === 'create' && target.resource.partlyShown.includes(name))
}

/** Throws `bad-request`, `unauthenticated`, `forbidden`, `not-found`. */
export function judgePurpose({ catalog, policy }: PurposeJudge, caller: Principal, said: SaidPurpose): JudgedPurpose {
  const resource = resourceNamed(catalog, said.resource)
  const admissions = admitted(policy, resource, caller)
  const field = said.field ?? ''
  const isThere = resource.fileNames.includes(field) && admissions.some((one) => exists(one, field))
  if (!isThere) throw unknownField(field)
  if (policy.guardedFields(caller, resource).guarded.has(field)) throw forbidden()
  const { scope } = resource
  const isNamed = caller.tenant?.name === scope?.tenancy
  const tenant = isNamed ? caller.tenant?.id : policy.tenants?.ofKey(caller, { resource, name: field })
  return { resource, field, tenant: scope && tenant !== undefined ? String(tenant) : null }
}

/**
 * The same for an upload that has begun, whose caller may have lost its rights. Throws `not-found`
 * where it has.
 */
export function judgeAgain(judge: PurposeJudge, caller: Principal, begun: JudgedPurposeRow): JudgedPurpose {
  const resource = judge.catalog.resources.get(begun.resource)
  const { tenancy } = resource?.scope ?? {}
  const { tenants } = judge.policy
  try {
    const isNamed = begun.tenant !== null && tenancy !== undefined
    const header = isNamed ? tenantText({ name: tenancy, id: begun.tenant }) : undefined
    const said = { resource: resource?.slug ?? null, field: begun.field }
    return judgePurpose(judge, tenants?.within(caller, { header }) ?? caller, said)
  } catch (error) {
    if (error instanceof ApiError) throw noSuchUpload()
    throw error
  }
}

export type JudgedPurposeRow = { readonly resource: string; readonly field: string; readonly tenant: string | null }

/** The same for an upload of another caller, one that has ended, and one that there never was. */
export const noSuchUpload = () => new ApiError('not-found', 'There is no such upload, or no longer; begin it again')

export type AnnouncedFile = { readonly type: string | undefined; readonly size: number }

/** Throws `unsupported-media-type`, `too-large` and `bad-request`. */
export function checkAnnounced({ resource, field }: JudgedPurpose, { type, size }: AnnouncedFile): void {
  const { limits } = resource.fields[field] as unknown as FileField
  if (type !== undefined && !takesType(limits, type))
    throw new ApiError(
      'unsupported-media-type',
      `${field} takes ${limits.types?.join(', ')}, and this is to be ${type}`,
    )
  if (size === 0) throw new ApiError('bad-request', `${field} has no bytes: send the bytes of a file`)
  if (size > limits.bytesMax) throw fileTooLarge(field, limits)
}

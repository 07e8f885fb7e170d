/** Finds an upload that its caller began in an earlier request, perhaps of another instance. */
import { timestampOf } from '../../base/clock.ts'
import { authorOf } from '../../record/author.ts'
import { equal } from '../../resource/condition.ts'
import { fileFields as names, type UploadWay } from '../../resource/made/file-table.ts'
import type { Principal } from '../../resource/principal.ts'
import type { Row } from '../../storage/storage.ts'
import type { FileRoom } from '../file-room.ts'
import { ownerOf } from '../steps/claim-files.ts'
import { type JudgedPurpose, type JudgedPurposeRow, judgeAgain, noSuchUpload } from './judge-purpose.ts'

export type BegunUpload = JudgedPurpose & { readonly id: string; readonly row: Row; readonly said: string | undefined }

/** Other texts are no ids, and some are none that a database takes. */
const isId = /^[0-9a-f-]{36}$/i

/** Throws `not-found` where there is none of this caller, or no longer. */
export async function begunUpload(
  { engine, files }: FileRoom,
  caller: Principal,
  { id, way }: { readonly id: string; readonly way: UploadWay },
): Promise<BegunUpload> {
  const found = isId.test(id) ? await engine.storage.find(files, equal(names.id, id.toLowerCase())) : undefined
  const row = found?.row
  const { state, owner, dueAt, resource, field, tenant, type } = row ?? ({} as Partial<Row>)
  const isOwn = row?.[names.way] === way && owner === ownerOf(authorOf(caller))
  const isLive = state === 'attached' || (dueAt !== null && String(dueAt) > timestampOf(engine.clock()))
  if (!row || !isOwn || !isLive || state === 'released' || state === 'going') throw noSuchUpload()
  const purpose = judgeAgain(engine, caller, { resource, field, tenant: tenant ?? null } as JudgedPurposeRow)
  return { ...purpose, id: String(row[names.id]), row, said: (type as string | null) ?? undefined }
}

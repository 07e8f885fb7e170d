/** Sessions end with the right to act, whoever takes it and however it is given back. */
import { equal, type Scalar } from '../resource/condition.ts'
import { mayAct } from '../resource/identity-mark.ts'
import type { Row } from '../storage/storage.ts'
import type { Door } from './records.ts'
import { removeWhere } from './remove.ts'

/** After a user was changed: whoever may act no more, or again, has no sessions of before. */
export async function endSessions(door: Door, before: Row, row: Row): Promise<void> {
  const { login, session } = door.catalog
  if (!login || !session || mayAct(login.mark, before) === mayAct(login.mark, row)) return
  await removeWhere(door, session.resource, equal(session.mark.owner, row[login.resource.idField] as Scalar))
}

/** Which resources identity works on, and what makes one of their records a user who may act. */
import type { Marked } from '../resource/catalog.ts'
import type { ApiKeyMark, LoginMark, RefreshTokenMark, SessionMark } from '../resource/define.ts'
import type { Role } from '../resource/rule.ts'
import type { Row } from '../storage/storage.ts'

export type Marks = {
  readonly login: Marked<LoginMark>
  readonly apiKey: Marked<ApiKeyMark>
  readonly session: Marked<SessionMark>
  readonly refreshToken: Marked<RefreshTokenMark>
}

/** Who the record is, when it is an active one. */
export function activeUser({ mark, resource }: Marked<LoginMark>, row: Row | undefined) {
  if (!row || row[mark.status] !== mark.activeStatus) return undefined
  return { userId: row[resource.idField] as string, role: row[mark.role] as Role, login: row[mark.login] as string }
}

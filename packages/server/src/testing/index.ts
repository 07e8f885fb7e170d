/**
 * The exports of `bindery-server/test`, for tests of an application: a service on its own database,
 * people of all roles, and a settable clock.
 */

export type { SentOutMail } from '../service/mails/mail-kind.ts'
export type { EndedWork } from '../storage/stored-effects.ts'
export { type Ask, type AskOptions, askWith, makeAsk, type TestResponse } from './ask.ts'
export { databaseOf, everythingStored, onPostgres, removeDatabase } from './database.ts'
export type { Fixtures } from './fixtures.ts'
export { removeFolder, temporaryFolder } from './folder.ts'
export { password } from './fresh-records.ts'
export type { RequestAnswer, SentRequest } from './outcomes/outgoing-requests.ts'
export { adminEmail, type TestPeople, type TestPerson } from './people.ts'
export { type MatrixRow, permissionMatrix, printMatrix } from './permission-matrix.ts'
export { askPlain, cookieParts, type PlainReply } from './plain.ts'
export {
  type Cluster,
  databaseUrl,
  dropPostgresDatabase,
  freePort,
  makePostgresDatabase,
  runSql,
  sharedCluster,
  startCluster,
} from './postgres.ts'
export { type ExitedProcess, program, type ServerProcess, type SpawnOptions, spawnServer } from './process.ts'
export { check, checkRefusal, checkReply, idsOf, type Scenario } from './scenario.ts'
export {
  type EndedJob,
  type ReplacedServices,
  recordingLog,
  startService,
  type TestOptions,
  type TestService,
} from './service.ts'

/**
 * Performs one permitted operation and returns its result. It takes only permissions, which
 * `policy/` alone can make.
 */
import type {
  ActOperation,
  ChangeOperation,
  CreateOperation,
  DeleteOperation,
  DifferenceOperation,
  ExportOperation,
  GetOperation,
  ImportOperation,
  ListOperation,
  Operation,
  SummaryOperation,
} from '../operation/operation.ts'
import { checkPermitted, type Permitted } from '../policy/policy.ts'
import { performAct } from './act.ts'
import { performCreate } from './create.ts'
import type { Engine } from './engine.ts'
import { performImport } from './imports/perform-import.ts'
import { performWithChildren, writesChildren } from './nested/write-children.ts'
import { performDifference } from './read/compare-versions.ts'
import { performExport, performGet, performList } from './read/read.ts'
import { performSummary } from './read/summarize.ts'
import type { OperationResult } from './result.ts'
import { performChange, performDelete } from './write.ts'
import { performMany } from './write-many.ts'

function performBody(engine: Engine, permitted: Permitted<CreateOperation | ChangeOperation>) {
  if (writesChildren(permitted)) return performWithChildren(engine, permitted)
  return permitted.operation.kind === 'create'
    ? performCreate(engine, permitted as Permitted<CreateOperation>)
    : performChange(engine, permitted as Permitted<ChangeOperation>)
}

/** Throws `ApiError`; nothing of the operation is stored then. */
export function perform(engine: Engine, permitted: Permitted<Operation>): Promise<OperationResult> {
  checkPermitted(permitted)
  const { operation } = permitted
  const many = 'many' in operation ? operation.many : undefined
  if (many) return performMany(engine, permitted as Permitted<ChangeOperation | DeleteOperation>, many)
  switch (operation.kind) {
    case 'list':
      return performList(engine, permitted as Permitted<ListOperation>)
    case 'summary':
      return performSummary(engine, permitted as Permitted<SummaryOperation>)
    case 'difference':
      return performDifference(engine, permitted as Permitted<DifferenceOperation>)
    case 'get':
      return performGet(engine, permitted as Permitted<GetOperation>)
    case 'create':
    case 'replace':
    case 'update':
      return performBody(engine, permitted as Permitted<CreateOperation | ChangeOperation>)
    case 'delete':
      return performDelete(engine, permitted as Permitted<DeleteOperation>)
    case 'act':
      return performAct(engine, permitted as Permitted<ActOperation>)
    case 'export':
      return performExport(engine, permitted as Permitted<ExportOperation>)
    case 'import':
      return performImport(engine, permitted as Permitted<ImportOperation>)
  }
}

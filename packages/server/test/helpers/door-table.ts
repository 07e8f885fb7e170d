/**
 * Every way by which a caller reaches records, as types. A test of a restriction has a table with a
 * row for each. A new operation, route, parameter, tool, method of a provider or format of files
 * without a row does not compile.
 */
import type { makeDataProvider as makeAdminProvider } from 'bindery-server/react-admin'
import type { makeDataProvider as makeRefineProvider } from 'bindery-server/refine'
import type { LineFormat } from '../../src/cli/lines/format.ts'
import type { ToolName } from '../../src/mcp/tools.ts'
import type { ListParameterKey } from '../../src/resource/list-style.ts'
import type { EngineOperation } from '../../src/resource/operation-kind.ts'
import type { Route } from '../../src/rest/route.ts'
import type { RouteDepsTable } from '../../src/service/engine-routes.ts'

/** The form of a route besides its operation. */
type RouteForm = Exclude<keyof Route, 'method' | 'path' | 'mount' | 'target' | 'steps' | 'by' | 'idParameter'>

/** The name of the door, or the reason in brackets why it needs no requests. */
type DoorRow<Door extends string> = Door | `(${string})`
type Rows<Key extends PropertyKey, Door extends string> = Readonly<Record<Key, DoorRow<Door>>>

export type RouteDoors<Door extends string> = {
  readonly operations: Rows<EngineOperation, Door>
  readonly forms: Rows<RouteForm, Door>
  readonly groups: Rows<keyof RouteDepsTable, Door>
  readonly parameters: Rows<ListParameterKey | '_explain' | '_sign', Door>
}

/** Programs that send requests for others, and the command line. */
export type ClientDoors<Door extends string> = {
  readonly tools: Rows<ToolName, Door>
  readonly reactAdmin: Rows<keyof ReturnType<typeof makeAdminProvider>, Door>
  readonly refine: Rows<keyof ReturnType<typeof makeRefineProvider>, Door>
  readonly files: Rows<`${'import' | 'export'} ${LineFormat}`, Door>
}

/** The doors of a table that need requests. */
export function doorsIn<Door extends string>(table: Partial<RouteDoors<Door> & ClientDoors<Door>>): readonly Door[] {
  const rows: readonly string[] = Object.values(table).flatMap((part) => Object.values(part))
  return [...new Set(rows)].filter((row): row is Door => !row.startsWith('('))
}

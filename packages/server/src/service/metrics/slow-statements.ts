/**
 * Stores recent slow statements in a small file beside the database: each form once with its plan,
 * without values. The server writes it when it logs one; the doctor reads it.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SlowStatement } from '../../observe/storage-metrics.ts'

const keptMs = 24 * 3_600_000
const shapesMax = 50

/** `ms`: the slowest time. `atMs`: the last time it was slow. */
export type RecordedStatement = SlowStatement & { readonly atMs: number }

function fileIn(dataDir: string): string {
  return join(dataDir, 'slow-statements.json')
}

/** The statements of the last day, the slowest first. */
export function readSlowStatements(dataDir: string, nowMs: number): readonly RecordedStatement[] {
  try {
    const noted = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as RecordedStatement[]
    return noted.filter(({ atMs }) => atMs > nowMs - keptMs).sort((a, b) => b.ms - a.ms)
  } catch {
    return [] // no file yet, or a partial one
  }
}

/**
 * The notes are optional, so a full disk is not an error. When two processes write at once, one
 * write is lost.
 */
export function recordSlowStatement(dataDir: string, found: SlowStatement, nowMs: number): void {
  const noted = readSlowStatements(dataDir, nowMs)
  const before = noted.find(({ statement }) => statement === found.statement)
  const others = noted.filter((one) => one !== before)
  const ms = Math.max(found.ms, before?.ms ?? 0)
  const kept = [{ ...found, ms, atMs: nowMs }, ...others].sort((a, b) => b.ms - a.ms).slice(0, shapesMax)
  const file = fileIn(dataDir)
  try {
    writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // no folder, or a full one
  }
}

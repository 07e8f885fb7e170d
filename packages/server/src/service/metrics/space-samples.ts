/**
 * Samples the free disk space every hour for two weeks, in a small file beside the database. The
 * doctor reads from it whether the disk fills up, and when.
 */
import { readFileSync, renameSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const everyMs = 3_600_000
const keptMs = 14 * 24 * everyMs
const dayMs = 24 * everyMs
/** A shorter time shows no trend. */
const shownMs = 12 * everyMs

/** The time in milliseconds since 1970, and the free bytes. */
type SpaceSample = readonly [atMs: number, freeBytes: number]

function fileIn(dataDir: string): string {
  return join(dataDir, 'space-samples.json')
}

function readSamples(dataDir: string): readonly SpaceSample[] {
  try {
    const samples = JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as SpaceSample[]
    return Array.isArray(samples) ? samples : []
  } catch {
    return [] // no file yet, or a partial one: the next samples make a new one
  }
}

/** Adds a sample. The samples are optional, so a full disk is not an error. */
function noteSpace(dataDir: string, nowMs: number): void {
  try {
    const kept = readSamples(dataDir).filter(([atMs]) => atMs > nowMs - keptMs && atMs <= nowMs)
    if (kept.some(([atMs]) => atMs > nowMs - everyMs / 2)) return
    const { bavail, bsize } = statfsSync(dataDir)
    const file = fileIn(dataDir)
    writeFileSync(`${file}.new`, JSON.stringify([...kept, [nowMs, bavail * bsize]]), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // no folder, or a full one
  }
}

/**
 * The days until nothing is free, at the pace since the oldest sample. Undefined where the space
 * does not shrink, or there are too few samples.
 */
export function spaceTrend(
  dataDir: string,
  freeBytes: number,
  nowMs: number,
): { readonly fullInDays: number | undefined } {
  const [first] = readSamples(dataDir).filter(([atMs]) => atMs > nowMs - keptMs)
  if (!first || nowMs - first[0] < shownMs || first[1] <= freeBytes) return { fullInDays: undefined }
  const bytesADay = ((first[1] - freeBytes) / (nowMs - first[0])) * dayMs
  const days = Math.floor(freeBytes / bytesADay)
  return { fullInDays: days > 365 ? undefined : days }
}

/** Takes samples from now on. */
export function startSpaceSamples(dataDir: string): { stop(): void } {
  noteSpace(dataDir, Date.now())
  const timer = setInterval(() => noteSpace(dataDir, Date.now()), everyMs).unref()
  return { stop: () => clearInterval(timer) }
}

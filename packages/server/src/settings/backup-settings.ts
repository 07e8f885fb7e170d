/**
 * Parses the environment variables of backups and log copies; an invalid one becomes one clear
 * line.
 */
import { type Environment, fail, parseSpan, partsOf, type Variable } from '../base/environment.ts'
import { bucketVariables, parseStore, type StoreSetting, storeForm } from './store-settings.ts'

/** A backup is due at each multiple of `everyMs` since 1970, plus `offsetMs`. */
export type BackupSchedule = { readonly everyMs: number; readonly offsetMs: number; readonly text: string }

/** How many hours, days and weeks keep their newest backup. */
export type RetentionSetting = { readonly h: number; readonly d: number; readonly w: number }

export type BackupSettings = {
  readonly store: StoreSetting | undefined
  readonly schedule: BackupSchedule | undefined
  readonly keep: RetentionSetting
  /** Public keys of age. Empty: no encryption. */
  readonly to: readonly string[]
  readonly walCopy: StoreSetting | undefined
  /** How far back the copies of the log reach. */
  readonly walCopyKeptMs: number
}

/** Limits of backups, in milliseconds and shares. */
export const backupLimits = {
  /** How often a process checks whether a backup is due; also the delay after a failed one. */
  lookMs: 30_000,
  retryMs: 300_000,
  /** A process that has not finished its backup by then counts as dead. */
  leaseMs: 3_600_000,
  /**
   * The interval of full copies below the log copies, and the longest wait for the last upload at a
   * stop.
   */
  baseEveryMs: 24 * 60 * 60_000,
  copyStopMs: 5_000,
  /** The limit of log copies that wait beside the database while their bucket cannot be reached. */
  copiesWaitingBytesMax: 1_000_000_000,
  /** The share of its time in which a backup leaves the disk idle. */
  idleShare: 0.5,
} as const

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** 1970 began on a Thursday. */
const mondayMs = 4 * dayMs
const defaultKeep = '24h,7d,4w'
const defaultWalKept = '24h'

export const backupVariables: readonly Variable[] = [
  {
    name: 'BACKUP_DIR',
    takes: storeForm,
    value: '',
    about: 'where backups go: a folder, or s3://BUCKET/PREFIX',
    more: 'See [Back up](../how-to/operate-back-up.md).',
  },
  {
    name: 'BACKUP_SCHEDULE',
    takes: '`hourly`, `daily`, `daily 03:30`, `weekly`, or a duration from `5m`',
    value: '',
    about: 'hourly, daily, daily 03:30, weekly, or as 6h; times are UTC',
    more: 'Needs `BACKUP_DIR`. `weekly` means Mondays.',
  },
  {
    name: 'BACKUP_KEEP',
    takes: 'counts of hours, days and weeks',
    value: defaultKeep,
    about: 'so many hours, days and weeks keep their newest backup',
    more: 'Older backups are removed. Files with other names are never touched.',
  },
  {
    name: 'BACKUP_TO',
    takes: 'recipients of age, with commas',
    value: '',
    about: 'encrypts backups and copies: recipients of age, with commas: age1…',
  },
  {
    name: 'WAL_COPY',
    takes: storeForm,
    value: '',
    about: 'copies every write within seconds: a folder, or s3://BUCKET/PREFIX',
    more: 'For the embedded database. See [Copy the log](../how-to/operate-copy-log.md).',
  },
  {
    name: 'WAL_COPY_KEEP',
    takes: 'duration in `m`, `h` or `d`',
    value: defaultWalKept,
    about: 'how far back these copies reach, as 24h or 7d',
  },
  ...bucketVariables,
]

/**
 * `daily 03:30` → every day, three and a half hours after midnight. Undefined where it is not set.
 */
export function parseSchedule(text: string | undefined): BackupSchedule | undefined {
  if (!text) return undefined
  const named = { hourly: [hourMs, 0], daily: [dayMs, 0], weekly: [7 * dayMs, mondayMs] } as const
  if (Object.hasOwn(named, text)) {
    const [everyMs, offsetMs] = named[text as keyof typeof named]
    return { everyMs, offsetMs, text }
  }
  const [, hours, minutes] = /^daily ([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hours !== undefined)
    return { everyMs: dayMs, offsetMs: Number(hours) * hourMs + Number(minutes) * minuteMs, text }
  const everyMs = parseSpan(text, span)
  if (everyMs === undefined || everyMs < 5 * minuteMs)
    fail('BACKUP_SCHEDULE', `must be hourly, daily, daily 03:30, weekly, or as 6h and at least 5m, not ${text}`)
  return { everyMs, offsetMs: 0, text }
}

/** `6h` */
const span = /^([1-9]\d{0,3})([mhd])$/

/** `24h,7d,4w` */
export function parseRetention(text: string | undefined): RetentionSetting {
  const keep = { h: 0, d: 0, w: 0 }
  for (const part of (text || defaultKeep).split(',')) {
    const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(part.trim()) ?? []
    if (count === undefined) fail('BACKUP_KEEP', `must look like ${defaultKeep}, not ${text}`)
    keep[unit as keyof RetentionSetting] = Number(count)
  }
  return keep
}

/** Invalid recipients are found at start, not at the first backup. */
export function parseRecipients(name: string, text: string | undefined): string[] {
  const recipients = partsOf(text)
  for (const recipient of recipients)
    if (!/^age1[a-z0-9]+$/.test(recipient)) fail(name, 'must be recipients of age, which begin with age1')
  return recipients
}

function parseWalKept(text: string): number {
  return parseSpan(text, span) ?? fail('WAL_COPY_KEEP', `must look like 24h or 7d, not ${text}`)
}

export function parseBackups(env: Environment): BackupSettings {
  const store = parseStore('BACKUP_DIR', env.BACKUP_DIR, env)
  const schedule = parseSchedule(env.BACKUP_SCHEDULE)
  if (schedule && !store) fail('BACKUP_DIR', 'is missing: BACKUP_SCHEDULE needs a place for backups')
  return {
    store,
    schedule,
    keep: parseRetention(env.BACKUP_KEEP),
    to: parseRecipients('BACKUP_TO', env.BACKUP_TO),
    walCopy: parseStore('WAL_COPY', env.WAL_COPY, env),
    walCopyKeptMs: parseWalKept(env.WAL_COPY_KEEP || defaultWalKept),
  }
}

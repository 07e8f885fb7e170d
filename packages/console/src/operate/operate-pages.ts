/** The pages for those who operate the service, or a part of it, in the order of the menu. */
import type { ComponentType } from 'react'
import type { Word } from '../words/en.ts'

export type OperatePage = {
  /** The last part of its address, and its label. */
  readonly name: Word
  /** Only applications that declare such a part have it. */
  readonly of?: 'jobs' | 'schedules' | 'files' | 'feed' | 'webhooks'
  /** Callers who may create records of this resource have the page, too, for their own. */
  readonly ownersOf?: string
  load(): Promise<ComponentType>
}

export const operatePages: readonly OperatePage[] = [
  { name: 'status', load: async () => (await import('./status-page.tsx')).StatusPage },
  { name: 'work', load: async () => (await import('./work-page.tsx')).WorkPage },
  { name: 'jobs', of: 'jobs', load: async () => (await import('./jobs-page.tsx')).JobsPage },
  { name: 'schedules', of: 'schedules', load: async () => (await import('./schedules-page.tsx')).SchedulesPage },
  { name: 'files', of: 'files', load: async () => (await import('./files-page.tsx')).FilesPage },
  { name: 'feed', of: 'feed', load: async () => (await import('./feed-page.tsx')).FeedPage },
  {
    name: 'webhooks',
    of: 'webhooks',
    ownersOf: 'webhook-endpoints',
    load: async () => (await import('./webhooks-page.tsx')).WebhooksPage,
  },
  { name: 'roles', load: async () => (await import('./roles-page.tsx')).RolesPage },
  { name: 'backups', load: async () => (await import('./backups-page.tsx')).BackupsPage },
  { name: 'doctor', load: async () => (await import('./doctor-page.tsx')).DoctorPage },
  { name: 'settings', load: async () => (await import('./settings-page.tsx')).SettingsPage },
  { name: 'statements', load: async () => (await import('./statements-page.tsx')).StatementsPage },
  { name: 'documents', load: async () => (await import('./documents-page.tsx')).DocumentsPage },
]

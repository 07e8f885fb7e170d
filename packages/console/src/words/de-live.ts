/** The words of lists and records that change while a person looks at them, in German. */
import type { englishOfLive } from './en-live.ts'

export const germanOfLive: Readonly<Record<keyof typeof englishOfLive, string>> = {
  live: 'Live',
  liveAgain: 'Verbindet sich wieder …',
  liveChanged: '{count} geändert',
  recordChanged: 'Der Datensatz wurde woanders geändert',
  recordGone: 'Der Datensatz wurde woanders gelöscht oder wird Ihnen nicht mehr gezeigt',
  changedElsewhere:
    'Der Datensatz wurde woanders geändert, während Sie geschrieben haben. Laden verwirft Ihre Eingaben; Speichern fragt, was gelten soll.',
  loadIt: 'Laden',
}

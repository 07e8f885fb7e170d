/** The words of lists and records that change while a person looks at them, in English. */
export const englishOfLive = {
  live: 'Live',
  liveAgain: 'Connecting again …',
  liveChanged: '{count} changed',
  recordChanged: 'The record was changed elsewhere',
  recordGone: 'The record was deleted elsewhere, or is no longer shown to you',
  changedElsewhere:
    'The record was changed elsewhere while you were typing. Loading it drops what you typed; saving asks what to keep.',
  loadIt: 'Load it',
} as const

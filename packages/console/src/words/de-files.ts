/** The words of files in German. */
import type { englishOfFiles } from './en-files.ts'

export const germanOfFiles: Readonly<Record<keyof typeof englishOfFiles, string>> = {
  chooseFile: 'Datei wählen …',
  addFiles: 'Dateien hinzufügen …',
  replaceFile: 'Datei ersetzen …',
  dropFiles: 'oder hier ablegen',
  removeFile: '{name} entfernen',
  cancelUpload: 'Hochladen von {name} abbrechen',
  stillArriving: '{label} wird noch hochgeladen',
  everyType: 'Jeder Typ',
  fileHint: '{types}; höchstens {size}.',
  filesHint: '{types}; höchstens {count} Dateien von je {size}.',
  files: 'Dateien',
  filesByUser: 'Nach Nutzer',
  filesByTenant: 'Nach Mandant',
  fileQuota: 'Kontingent',
  owner: 'Besitzer',
  looseFiles: 'Ohne Datensatz: {count}',
  looseFilesHelp: 'Dateien, die noch kein Datensatz hat oder keiner mehr. Das Aufräumen entfernt jede zu ihrer Zeit.',
  goesAt: 'Geht um',
  fileArriving: 'kommt an',
  fileReady: 'bereit',
  fileAttached: 'in einem Datensatz',
  fileReleased: 'freigegeben',
  fileGoing: 'wird entfernt',
}

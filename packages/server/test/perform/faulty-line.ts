/** The command line of the books whose hooks meet faults. */
import { runCommandLine } from '../../src/index.ts'
import { faultyBooks } from './faulty-books.ts'

await runCommandLine(async () => [faultyBooks])

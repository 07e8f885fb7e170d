/**
 * The application of the engine's own tests as a process: a library. Together its resources use
 * everything that a declaration can contain.
 */
import { runService } from 'bindery-server'

await runService(async () => (await import('./resources/index.ts')).resources)

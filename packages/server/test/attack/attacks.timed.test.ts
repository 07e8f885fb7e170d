/**
 * Latency of other clients, and memory, during the attacks of this folder. `npm test` only checks
 * the responses.
 */
import './slow-clients.test.ts'
import './tiny-chunks.test.ts'
import './unread-answers.test.ts'

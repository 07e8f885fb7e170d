/** Tests ask as anyone. */
import type { AskOptions, TestService } from 'bindery-server/test'

export async function credentialOf(_service: TestService): Promise<AskOptions> {
  return {}
}

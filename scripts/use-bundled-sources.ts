/** What `node --import` loads: see bundled-sources.ts. */
import { useBundledSources } from './bundled-sources.ts'

useBundledSources()

/** Loaded by `node --import`: see bundled-sources.ts. */
import { useBundledSources } from './bundled-sources.ts'

useBundledSources()

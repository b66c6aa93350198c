/** An S3 server on this machine. */
import S3rver from 's3rver'
import type { ReplicaPlace } from './litestream.ts'

const BUCKET = 'boards'

/** Starts one that keeps its objects in a folder. @returns the place of a replica in it by its path, and what ends it */
export async function startS3(directory: string) {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  })
  listDeepPrefixes(server)
  const { port } = await server.run()
  const placeOf = (path: string): ReplicaPlace => ({
    type: 's3',
    bucket: BUCKET,
    path,
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    'force-path-style': true,
    'access-key-id': 'S3RVER',
    'secret-access-key': 'S3RVER',
  })
  return { placeOf, close: () => server.close() }
}

/** The server (3.7.1) overlooks common prefixes of which all objects are two folders deeper, as Litestream's generations are. */
function listDeepPrefixes({ store }: S3rver): void {
  const list = store.listObjects.bind(store)
  store.listObjects = async (bucket, { delimiter = '', ...options }) => {
    if (delimiter === '') return list(bucket, options)
    const { prefix = '' } = options
    const { objects } = await list(bucket, { ...options, maxKeys: Number.POSITIVE_INFINITY })
    const endOf = (key: string) => key.indexOf(delimiter, prefix.length)
    return {
      objects: objects.filter(({ key }) => endOf(key) === -1),
      commonPrefixes: [
        ...new Set(objects.flatMap(({ key }) => (endOf(key) === -1 ? [] : [key.slice(0, endOf(key) + 1)]))),
      ],
      isTruncated: false,
    }
  }
}

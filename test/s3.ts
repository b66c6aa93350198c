/** An S3 server on this machine. */
import S3rver from 's3rver'
import type { ReplicaPlace } from './litestream.ts'

const BUCKET = 'boards'

/**
 * Starts an S3 server that stores its objects in a folder. @returns a function from path to a replica's location, and one that
 * ends the server
 */
export async function startS3(directory: string) {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  })
  behaveLikeS3(server)
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

/**
 * Differences of the server (3.7.1) from S3: it misses common prefixes whose objects are all two folders deeper, like
 * Litestream's generations, and it lists the parts of aborted uploads.
 */
function behaveLikeS3({ store }: S3rver): void {
  const [listAll, put] = [store.listObjects.bind(store), store.putObject.bind(store)]
  const whole = new Set<string>()
  store.putObject = async (object) => {
    const done = await put(object)
    whole.add(object.key)
    return done
  }
  const list: typeof listAll = async (bucket, options) => {
    const { objects, ...rest } = await listAll(bucket, options)
    return { objects: objects.filter(({ key }) => whole.has(key)), ...rest }
  }
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

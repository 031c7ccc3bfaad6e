import { describe, expect, it } from 'vitest';
import { classifyUri, decodeDataUri } from '../../src/gltf/files/uri';

describe('classifyUri', () => {
  it.each([
    ['a.bin', 'inside', 'a.bin'],
    ['textures/wood%20oak.png', 'inside', 'textures/wood oak.png'],
    ['./a/../b.bin', 'inside', 'b.bin'],
    ['a\\b.png', 'inside', 'a/b.png'],
    ['%252e%252e/a', 'inside', '%2e%2e/a'],
    ['..a/b', 'inside', '..a/b'],
    ['../a.bin', 'outside', '../a.bin'],
    ['a/../../b', 'outside', '../b'],
    ['%2e%2e/a.bin', 'outside', '../a.bin'],
    ['%2e%2E%2fa.bin', 'outside', '../a.bin'],
    ['..\\a.bin', 'outside', '../a.bin'],
    ['..%5Ca.bin', 'outside', '../a.bin'],
    ['/etc/passwd', 'outside', '/etc/passwd'],
    ['%2Fetc/passwd', 'outside', '/etc/passwd'],
    ['file:///etc/passwd', 'outside', '/etc/passwd'],
    ['FILE:/etc/passwd', 'outside', '/etc/passwd'],
    ['C:\\secret.bin', 'outside', 'C:\\secret.bin'],
  ])('%s is %s', (uri, kind, path) => {
    expect(classifyUri(uri)).toEqual({ kind, path });
  });

  it.each(['http://example.com/a.bin', 'HTTPS://example.com/a', '//example.com/a', '\\\\server\\share'])(
    '%s is on the network',
    (uri) => {
      expect(classifyUri(uri)).toEqual({ kind: 'network', url: uri });
    }
  );

  it('recognizes data URIs in any case', () => {
    expect(classifyUri('DATA:application/octet-stream;base64,AAAA')).toEqual({ kind: 'data' });
  });

  it.each([
    ['ftp://example.com/a', /kind of address/],
    ['javascript:1', /kind of address/],
    ['%zz.bin', /percent escapes/],
    ['a%00.bin', /zero character/],
    ['', /empty/],
    ['./', /empty/],
  ])('rejects %s', (uri, message) => {
    expect(() => classifyUri(uri)).toThrow(message);
  });
});

describe('decodeDataUri', () => {
  it('decodes base64 and percent escapes', () => {
    expect([...decodeDataUri('data:application/octet-stream;base64,AQID/w==')]).toEqual([1, 2, 3, 255]);
    expect([...decodeDataUri('data:,A%20b')]).toEqual([65, 32, 98]);
  });

  it('rejects anything else', () => {
    expect(() => decodeDataUri('data:;base64')).toThrow(/comma/);
    expect(() => decodeDataUri('data:;base64,***')).toThrow(/damaged/);
    expect(() => decodeDataUri('data:,%e0%a4%a')).toThrow(/damaged/);
  });
});

/** Renders a .glb in base64. */
export function handler(event: {
  body?: string;
  size?: number;
}): Promise<{ statusCode: number; headers: Record<string, string>; body: string; isBase64Encoded: boolean }>;

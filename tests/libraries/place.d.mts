export declare const ENGINES: string;
export declare function placeScenes(): string;

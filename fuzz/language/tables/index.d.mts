export function tablePrograms(): string[];

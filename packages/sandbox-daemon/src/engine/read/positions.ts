export interface Positions { }

// A page that does not change: only its times depend on the reader.
import { localize } from "./times.js";

localize(document);

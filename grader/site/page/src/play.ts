// The lesson's player for a day.

import { mountLesson } from "../../../render/player/src/lesson";
import { find } from "./dom";

mountLesson(find("#player"), []);
document.documentElement.dataset.player = "ready";

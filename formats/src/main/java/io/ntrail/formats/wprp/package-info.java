/** Recording profiles of Windows Performance Recorder (.wprp). */
@NullMarked
package io.ntrail.formats.wprp;

import org.jspecify.annotations.NullMarked;

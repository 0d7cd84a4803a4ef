/**
 * Code of drivers as the kernel rewrites it in memory: import optimization and retpolines, rebuilt
 * from the dynamic relocation records of the image. {@link
 * io.ntrail.programs.kernelcode.KernelCode} is the way in.
 *
 * <p>Source of fact: published descriptions of the records and of the loader of Windows 10 (1809
 * and later), verified against the bytes of five drivers. The page of retpoline thunks is part of
 * the running kernel; only the places and effects of its thunks are known, and it is rebuilt from
 * those.
 */
@NullMarked
package io.ntrail.programs.kernelcode;

import org.jspecify.annotations.NullMarked;

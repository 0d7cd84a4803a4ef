/**
 * System services: the numbers, names and arguments with which programs call the kernel, read from
 * the stubs that ntdll.dll and win32u.dll export or from the table that kernels since Windows 10
 * 1903 keep for dynamic tracing (KiServicesTab). {@link io.ntrail.programs.services.SystemServices}
 * is the way in.
 *
 * <p>Source of fact: the code of such stubs in images of Windows and Wine; for the table and its
 * hash what was published about dynamic tracing in Windows 10 19H1, with its one listed record.
 */
@NullMarked
package io.ntrail.programs.services;

import org.jspecify.annotations.NullMarked;

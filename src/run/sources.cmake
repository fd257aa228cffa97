ct_folder(run run/api.c run/bodies.c run/publish.c run/changes.c run/colliders.c run/folder.c run/frames.c run/restore.c run/run.c run/stats.c)
